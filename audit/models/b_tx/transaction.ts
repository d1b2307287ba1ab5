import type { EventLine } from "../../../tests/support/client.ts";
import {
  isMatch,
  readBack,
  type ReferenceStore,
  type WireQuery,
  type WireWrite,
} from "../../../tests/editions/a_write/reference.ts";
import { EVENTS_MAX, TX_PROJECTIONS_MAX, TX_READS_MAX } from "../limits.ts";

/* A transaction of edition B in memory, as its document describes it. */

export type TxQuery = WireQuery | "none";

export type TxChanges = Readonly<
  Record<
    "create" | "replace" | "delete",
    readonly { readonly type: string; readonly id: string; readonly payload: string }[]
  >
>;

/** The reason why the transaction has ended. */
export type Broken = "rule" | "limit";

type Pending = Omit<EventLine, "sequence">;

interface Known {
  readonly type: string;
  readonly id: string;
  /** The version that was read last, "missing", or undefined when it was not read. */
  found: string | undefined;
  /** The result of the transaction's writes: a payload, or `null` when it was deleted. */
  made: string | null | undefined;
}

export interface Conflict {
  readonly message: string;
  readonly conflict: object;
}

export class ModelTx {
  readonly id: string;
  readonly events: Pending[] = [];
  readonly #reads: { readonly query: TxQuery; readonly head: number }[] = [];
  readonly #known = new Map<string, Known>();
  #isOpen = false;

  constructor(id: string) {
    this.id = id;
  }

  /** True while the last read waits for its write. */
  get conditionIsOpen(): boolean {
    return this.#isOpen;
  }

  get reads(): number {
    return this.#reads.length;
  }

  /** The number of projections that it has written. */
  get written(): number {
    return [...this.#known.values()].filter(({ made }) => made !== undefined).length;
  }

  /** @returns the matching events, or how the call ends the transaction */
  read(query: TxQuery, store: ReferenceStore): (EventLine | Pending)[] | Broken {
    if (this.#isOpen) return "rule";
    if (this.#reads.length === TX_READS_MAX) return "limit";
    this.#reads.push({ query, head: store.events.length });
    this.#isOpen = true;
    if (query === "none") return [];
    return [...store.matching(query, 0), ...this.events.filter((event) => isMatch(query, event))];
  }

  write(events: WireWrite["events"]): Broken | undefined {
    if (events.length > EVENTS_MAX) return "limit";
    if (!this.#isOpen) return "rule";
    if (this.events.length + events.length > EVENTS_MAX) return "limit";
    this.#isOpen = false;
    return undefined;
  }

  /** @param time the server's time of a write that was accepted */
  wrote(events: WireWrite["events"], time: string): void {
    for (const { type, identifiers, metadata, payload } of events) {
      this.events.push({
        time,
        type,
        identifiers: readBack(identifiers),
        metadata: readBack(metadata),
        payload,
      });
    }
  }

  /** @returns the payload, or `null` when there is none, or how the call ends the transaction */
  get(type: string, id: string, store: ReferenceStore): { readonly payload: string | null } | Broken {
    if (this.#isOpen) return "rule";
    const known = this.#of(type, id);
    if (known.made !== undefined) return { payload: known.made };
    const stored = store.projection({ type, id });
    known.found = stored?.version ?? "missing";
    return { payload: stored?.payload ?? null };
  }

  change(changes: TxChanges): Broken | undefined {
    const all = [...changes.create, ...changes.replace, ...changes.delete];
    const names = new Set(all.map(({ type, id }) => JSON.stringify([type, id])));
    if (names.size < all.length || this.#isOpen || all.length === 0) return "rule";
    for (const { type, id, payload } of changes.create) {
      if (this.#isThere(type, id) === true) return "rule";
      this.#of(type, id).made = payload;
    }
    for (const { type, id, payload } of changes.replace) {
      if (this.#isThere(type, id) !== true) return "rule";
      this.#of(type, id).made = payload;
    }
    for (const { type, id } of changes.delete) {
      const isThere = this.#isThere(type, id);
      if (isThere === undefined) return "rule";
      if (isThere) this.#of(type, id).made = null;
    }
    return this.written > TX_PROJECTIONS_MAX ? "limit" : undefined;
  }

  /** The changes of the commit, each with the version that must be stored: creates, then replaces, then deletes. */
  get changes(): Known[] {
    const known = [...this.#known.values()].filter(({ made }) => made !== undefined);
    const isCreate = ({ found }: Known) => found === undefined || found === "missing";
    const kept = known.filter((one) => one.made !== null);
    return [
      ...kept.filter(isCreate),
      ...kept.filter((one) => !isCreate(one)),
      // A projection that was created and deleted here never existed.
      ...known.filter((one) => one.made === null && !isCreate(one)),
    ];
  }

  /** Returns the first read that no longer holds. */
  conflictWith(store: ReferenceStore): Conflict | undefined {
    if (this.events.length + this.changes.length === 0) return undefined;
    for (const [i, { query, head }] of this.#reads.entries()) {
      const [first] = query === "none" ? [] : store.matching(query, head);
      if (first === undefined) continue;
      return {
        message: `conditions[${i}] no longer holds`,
        conflict: { condition: i, sequence: first.sequence },
      };
    }
    for (const { type, id, found } of this.changes) {
      if ((store.projection({ type, id })?.version ?? "missing") === (found ?? "missing")) continue;
      const what = found === undefined
        ? "already exists"
        : found === "missing"
        ? "was created by another write since it was read"
        : "no longer has the version read";
      return { message: `projection ${type}/${id} ${what}`, conflict: { projection: { type, id } } };
    }
    return undefined;
  }

  /** Returns true when the projection exists as far as the transaction knows, undefined when it does not know. */
  #isThere(type: string, id: string): boolean | undefined {
    const { found, made } = this.#of(type, id);
    if (made !== undefined) return made !== null;
    return found === undefined ? undefined : found !== "missing";
  }

  #of(type: string, id: string): Known {
    const key = JSON.stringify([type, id]);
    const known = this.#known.get(key) ?? { type, id, found: undefined, made: undefined };
    this.#known.set(key, known);
    return known;
  }
}
