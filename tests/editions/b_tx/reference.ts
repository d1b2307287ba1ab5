import type { EventLine } from "../../support/client.ts";
import {
  isMatch,
  readBack,
  type ReferenceStore,
  type WireQuery,
  type WireWrite,
} from "../a_write/reference.ts";

/*
 * A model of a transaction of edition B in memory, written from its document. It changes a `ReferenceStore` at its
 * commit. The tests play sequences of calls against it, the audit random commands.
 */

export type TxQuery = WireQuery | "none";

export type TxChanges = Readonly<
  Record<
    "create" | "replace" | "delete",
    readonly { readonly type: string; readonly id: string; readonly payload: string }[]
  >
>;

/** The reason why the transaction has ended. */
export type Broken = "rule" | "limit";

/** The settings that bound one transaction. */
export interface TxLimits {
  readonly events: number;
  readonly reads: number;
  readonly projections: number;
}

type Pending = Omit<EventLine, "sequence">;

export interface Known {
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

export class ReferenceTx {
  readonly id: string;
  readonly #limits: TxLimits;
  readonly events: Pending[] = [];
  readonly #reads: { readonly query: TxQuery; readonly head: number }[] = [];
  readonly #known = new Map<string, Known>();
  #isOpen = false;

  constructor(id: string, limits: TxLimits) {
    this.id = id;
    this.#limits = limits;
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
    if (this.#reads.length === this.#limits.reads) return "limit";
    this.#reads.push({ query, head: store.events.length });
    this.#isOpen = true;
    if (query === "none") return [];
    return [...store.matching(query, 0), ...this.events.filter((event) => isMatch(query, event))];
  }

  write(events: WireWrite["events"]): Broken | undefined {
    if (events.length > this.#limits.events) return "limit";
    if (!this.#isOpen) return "rule";
    if (this.events.length + events.length > this.#limits.events) return "limit";
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
    return this.written > this.#limits.projections ? "limit" : undefined;
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

  /** Applies a commit, whose conditions hold. @param versionOf the version that the server has drawn for a payload */
  commitTo(store: ReferenceStore, versionOf: (written: Known) => string): void {
    const written = this.changes.filter(({ made }) => made !== null);
    const gone = this.changes.filter(({ made }) => made === null);
    const write = {
      events: this.events,
      conditions: [],
      projections: {
        create: written.map(({ type, id, made }) => ({ type, id, payload: made! })),
        replace: [],
        delete: gone.map(({ type, id }) => ({ type, id, version: "" })),
      },
    };
    store.apply(write, {
      events: this.events.map(({ time }, i) => ({ sequence: i, time })),
      projections: { create: written.map((one) => ({ version: versionOf(one) })), replace: [] },
    });
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
