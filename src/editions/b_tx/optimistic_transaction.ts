import type { Condition } from "../../model/condition.ts";
import { type ProjectionKey, projectionKeyText } from "../../model/projection.ts";
import { VALUES_PER_WRITE_MAX } from "../../model/limits.ts";
import { type Query, queryValues } from "../../model/query.ts";
import type { StoreState } from "../../store/api/state.ts";
import {
  PROJECTIONS_PER_TX_MAX,
  tooManyEvents,
  tooManyProjections,
  type UnversionedChanges,
} from "./tx_requests.ts";
import { ApiError, LimitReached } from "../../model/errors.ts";

/*
 * A transaction as a state machine: no I/O, no clock, no HTTP. Each method is a call of the client. A method that
 * throws ends the transaction.
 */

export interface TransactionLimits {
  readonly maxEventsPerTx: number;
  readonly maxReadsPerTx: number;
  readonly maxProjectionsPerTx: number;
}

export interface PendingEvent {
  /** The text that `eventBody` returns. */
  readonly body: string;
  readonly timeMicros: number;
}

/** The answer of the store when the transaction read a projection: its version, or that it did not exist. */
export type Found = { readonly version: string } | "missing";

interface Known {
  readonly key: ProjectionKey;
  /** Undefined if the transaction never read it. */
  found: Found | undefined;
  /** The transaction's own change: a payload, `deleted`, or undefined if it changed nothing. */
  made: { readonly payload: string } | "deleted" | undefined;
}

/** A projection as the transaction sees it. `asStored` means that the store must be asked. */
export type View = { readonly payload: string } | "deleted" | "asStored";

/** A change that the commit checks and makes. `found` is the result of the transaction's own read, if it read. */
export interface CommittedChange {
  readonly key: ProjectionKey;
  readonly found: Found | undefined;
  /** Undefined to delete. */
  readonly payload: string | undefined;
}

export interface CommitContent {
  readonly conditions: readonly Condition[];
  readonly events: readonly PendingEvent[];
  readonly projections: readonly CommittedChange[];
}

function brokenRule(detail: string): ApiError {
  return new ApiError("InvalidRequest", detail);
}

export class OptimisticTransaction {
  readonly #limits: TransactionLimits;
  readonly #conditions: Condition[] = [];
  #conditionOpen = false;
  /** The number of values in the queries of all reads. */
  #values = 0;
  readonly #events: PendingEvent[] = [];
  readonly #projections = new Map<string, Known>();

  constructor(limits: TransactionLimits) {
    this.#limits = limits;
  }

  get pendingEvents(): readonly PendingEvent[] {
    return this.#events;
  }

  /**
   * Begins a read of events, which opens a condition. Until the store has answered, the condition covers all
   * events. So a client that disconnects in between cannot rely on anything that it has not seen.
   */
  beginRead(query: Query): void {
    this.#assertClosed("read events");
    const { maxReadsPerTx } = this.#limits;
    if (this.#conditions.length >= maxReadsPerTx) {
      throw new LimitReached(`the transaction has more reads than maxReadsPerTx (${maxReadsPerTx})`);
    }
    this.#values += queryValues(query);
    if (this.#values > VALUES_PER_WRITE_MAX) {
      throw new LimitReached(`the reads of the transaction name more than ${VALUES_PER_WRITE_MAX} values`);
    }
    this.#conditions.push({ failIfEventsMatch: query, afterSequence: 0 });
    this.#conditionOpen = true;
  }

  /** Narrows the condition to events after the head of the store that the read saw. */
  readAnswered({ storeId, head }: StoreState): void {
    const { failIfEventsMatch } = this.#conditions.pop()!;
    this.#conditions.push({ failIfEventsMatch, afterSequence: head, store: storeId });
  }

  /** The decision: closes the open condition and adds the events, if any. */
  writeEvents(events: readonly string[], timeMicros: number): void {
    if (!this.#conditionOpen) throw brokenRule("events must be written directly after a read of events");
    const { maxEventsPerTx } = this.#limits;
    if (this.#events.length + events.length > maxEventsPerTx) throw tooManyEvents(maxEventsPerTx);
    this.#conditionOpen = false;
    for (const body of events) this.#events.push({ body, timeMicros });
  }

  knows(key: ProjectionKey): boolean {
    return this.#projections.has(projectionKeyText(key));
  }

  /** Called before a read of a projection. Returns what the transaction knows, or that the store must be asked. */
  viewProjection(key: ProjectionKey): View {
    this.#assertClosed("read a projection");
    const known = this.#projections.get(projectionKeyText(key));
    if (known === undefined && this.#projections.size >= PROJECTIONS_PER_TX_MAX) throw tooManyProjections();
    return known?.made ?? "asStored";
  }

  /** Records the answer of the store for a projection that the transaction has not changed. */
  projectionRead(key: ProjectionKey, found: Found): void {
    this.#known(key).found = found;
  }

  /** Creates, replaces and deletes projections in the transaction. The lists name each projection once. */
  writeProjections(writes: UnversionedChanges): void {
    this.#assertClosed("write projections");
    const { create, replace, delete: deleted } = writes;
    if (create.length + replace.length + deleted.length === 0) {
      throw brokenRule("a write of projections must name at least one");
    }
    for (const [i, { type, id, payload }] of create.entries()) {
      const known = this.#known({ type, id });
      if (exists(known)) throw brokenRule(`create[${i}]: the projection already exists`);
      known.made = { payload };
    }
    for (const [i, { type, id, payload }] of replace.entries()) {
      const known = this.#known({ type, id });
      if (!exists(known)) throw brokenRule(`replace[${i}]: ${whyMissing(known)}`);
      known.made = { payload };
    }
    for (const [i, { type, id }] of deleted.entries()) {
      const known = this.#known({ type, id });
      if (known.found === undefined && known.made === undefined) {
        throw brokenRule(`delete[${i}]: ${whyMissing(known)}`);
      }
      // Deleting a projection that does not exist has no effect.
      if (exists(known)) known.made = "deleted";
    }
    this.#checkWritten();
  }

  /** Returns what the commit must check and write, or undefined when there is nothing to write. */
  commit(): CommitContent | undefined {
    this.#assertClosed("commit");
    const projections = [...this.#projections.values()].flatMap(changeOf);
    if (this.#events.length === 0 && projections.length === 0) return undefined;
    return { conditions: this.#conditions, events: this.#events, projections };
  }

  #assertClosed(what: string): void {
    if (!this.#conditionOpen) return;
    throw brokenRule(`after a read of events, the next call must write events; it cannot ${what}`);
  }

  #checkWritten(): void {
    const { maxProjectionsPerTx } = this.#limits;
    const count = [...this.#projections.values()].filter(({ made }) => made !== undefined).length;
    if (count > maxProjectionsPerTx) {
      throw new LimitReached(
        `the transaction writes ${count} projections, more than maxProjectionsPerTx (${maxProjectionsPerTx})`,
      );
    }
  }

  #known(key: ProjectionKey): Known {
    const text = projectionKeyText(key);
    const known = this.#projections.get(text) ?? { key, found: undefined, made: undefined };
    this.#projections.set(text, known);
    return known;
  }
}

/** True if the projection exists, as far as the transaction can see. */
function exists({ found, made }: Known): boolean {
  if (made !== undefined) return made !== "deleted";
  return found !== undefined && found !== "missing";
}

function whyMissing({ found, made }: Known): string {
  return found === undefined && made === undefined
    ? "the projection was not read in this transaction"
    : "the projection does not exist";
}

function changeOf({ key, found, made }: Known): CommittedChange[] {
  if (made === undefined) return [];
  if (made !== "deleted") return [{ key, found, payload: made.payload }];
  // For the store, a projection that was both created and deleted here never existed.
  return found === undefined || found === "missing" ? [] : [{ key, found, payload: undefined }];
}
