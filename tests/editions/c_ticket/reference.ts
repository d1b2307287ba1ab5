/*
 * A model of edition C, written from the document: one transaction at a time, a queue of waiting requests, and a
 * clock that moves only on "wait". Every call returns the requests that were answered by it, since a request may be
 * answered long after it was sent.
 */

import {
  type CallName,
  DONE,
  GONE,
  INVALID,
  LIMITS,
  type Outcome,
  payloadOf,
  WAIT_SECONDS,
} from "./calls.ts";
import { type Content, linesOf, runInside, type View } from "./reference_content.ts";
import { type Ends, freshCounts, type Surface } from "./reference_surface.ts";

/** A stopping server lets the running call continue for this time. */
const LAST_CALL_SECONDS = 5;

const ENDED: Outcome = { status: 410, error: "TicketNotActive" };
const NOT_PAUSED: Outcome = { status: 409, error: "NotPaused" };

/** A waiting request. Its index in the sequence identifies it. */
interface Waiting {
  readonly place: number;
  readonly kind: "transaction" | "pause" | "resume";
}

interface TicketCall {
  readonly place: number;
  readonly call: CallName;
  readonly view: View;
  /** The body of a half-sent call may still be incomplete ("halfway"), or never come ("lost"). */
  body: "there" | "halfway" | "lost";
}

interface Transaction {
  readonly sinceSeconds: number;
  /** The end of the last successful call. */
  lastCallSeconds: number;
  calls: number;
  readonly content: Content;
  /** The running call, which can only be a half-sent one, and the calls that wait for it. */
  readonly open: TicketCall[];
  /** Resets that wait for the running call. */
  readonly resets: number[];
}

export class ReferenceWorld {
  #nowSeconds = 0;
  #committed: Content = { store: 1, events: ["first"], projection: { version: 1, payload: "stored" } };
  #versions = 1;
  #paused = false;
  #active: Transaction | undefined;
  #waiting: Waiting[] = [];
  #answered = new Map<number, Outcome>();
  #counts = freshCounts();
  #warnings: string[] = [];

  /** The state that the sender of the next call sees: the one of the active transaction, or the committed one. */
  get view(): View {
    const { events, projection } = this.#active?.content ?? this.#committed;
    return { head: events.length, version: projection?.version ?? 0 };
  }

  /** The state that every client can read without a ticket. */
  get surface(): Surface {
    return {
      store: this.#committed.store,
      lines: linesOf(this.#committed),
      projection: this.#committed.projection,
      paused: this.#paused,
      calls: this.#active?.calls,
      queued: this.#waiting.map(({ kind }) => kind),
      httpOpen: this.#waiting.length + (this.#active?.open.length ?? 0),
      counts: { ...this.#counts },
      warnings: [...this.#warnings],
    };
  }

  /** All state on which later outcomes depend, as text. */
  get state(): string {
    // Only an active transaction depends on the time.
    return JSON.stringify([this.surface, this.#active && [this.#nowSeconds, this.#active]]);
  }

  /** True when the committed state differs from the first one. */
  get storeHasChanged(): boolean {
    const { store, events, projection } = this.#committed;
    return store !== 1 || events.length !== 1 || projection?.version !== 1;
  }

  /** @returns the answers that came with this call, by the index of their request */
  perform(call: CallName, place: number): ReadonlyMap<number, Outcome> {
    this.#answered = new Map();
    this.#perform(call, place);
    return this.#answered;
  }

  #perform(call: CallName, place: number): void {
    switch (call) {
      case "begin":
        return this.#join({ place, kind: "transaction" });
      case "pause":
        return this.#paused ? this.#answer(place, DONE) : this.#join({ place, kind: "pause" });
      case "resume": {
        const pauseComes = this.#waiting.some(({ kind }) => kind === "pause");
        return this.#paused || pauseComes ? this.#join({ place, kind: "resume" }) : this.#answer(place, DONE);
      }
      case "leave": {
        const leaver = this.#waiting.shift();
        return leaver && this.#answer(leaver.place, GONE);
      }
      case "plainWrite":
        return this.#answer(place, this.#paused ? this.#plainWrite(payloadOf(place)) : NOT_PAUSED);
      case "deleteAll":
        if (this.#paused) this.#committed.projection = undefined;
        return this.#answer(place, this.#paused ? DONE : NOT_PAUSED);
      case "reset":
        return this.#reset(place);
      case "wait":
        return this.#pass(WAIT_SECONDS);
      case "restart":
        return this.#restart();
      case "oldTicket":
        return this.#answer(place, ENDED);
      case "noTicket":
        return this.#answer(place, INVALID);
      case "sendRest":
      case "leaveHalf":
        return this.#endHalf(call === "sendRest" ? "there" : "lost");
      default:
        return this.#ticketCall(call, place);
    }
  }

  #answer(place: number, outcome: Outcome): void {
    this.#answered.set(place, outcome);
  }

  #join(entry: Waiting): void {
    if (this.#active !== undefined && this.#waiting.length >= LIMITS.maxQueuedTransactions) {
      return this.#answer(entry.place, { status: 503, error: "TransactionQueueFull" });
    }
    this.#waiting.push(entry);
    this.#nextTurn();
  }

  #nextTurn(): void {
    while (this.#active === undefined && this.#waiting.length > 0) {
      const { place, kind } = this.#waiting.shift()!;
      if (kind !== "transaction") {
        this.#paused = kind === "pause";
        this.#answer(place, DONE);
      } else if (this.#paused) {
        this.#answer(place, { status: 503, error: "Paused" });
      } else {
        this.#answer(place, { status: 200, found: "a ticket" });
        this.#begin();
      }
    }
  }

  #begin(): void {
    this.#counts.started++;
    this.#active = {
      sinceSeconds: this.#nowSeconds,
      lastCallSeconds: this.#nowSeconds,
      calls: 0,
      content: { ...this.#committed, events: [...this.#committed.events] },
      open: [],
      resets: [],
    };
  }

  #plainWrite(payload: string): Outcome {
    const list = this.#committed.projection === undefined ? "create" : "replace";
    this.#committed.projection = { version: ++this.#versions, payload };
    return { status: 200, found: { [list]: this.#versions } };
  }

  /** Resets the store at once, or after the running call of the active transaction, which it ends. */
  #reset(place: number): void {
    const transaction = this.#active;
    if (transaction === undefined) return this.#empty(place);
    transaction.resets.push(place);
    if (transaction.open.length === 0) this.#end(transaction, "reset");
  }

  #empty(place: number): void {
    this.#committed = { store: this.#committed.store + 1, events: [], projection: undefined };
    this.#answer(place, DONE);
  }

  #pass(seconds: number): void {
    const until = this.#nowSeconds + seconds;
    while (this.#active !== undefined) {
      const { sinceSeconds, lastCallSeconds, open } = this.#active;
      const ceiling = sinceSeconds + LIMITS.maxTransactionDuration;
      // While a call runs, only the ceiling counts.
      const idle = open.length > 0 ? Infinity : lastCallSeconds + LIMITS.transactionTimeout;
      if (Math.min(idle, ceiling) > until) break;
      this.#nowSeconds = Math.min(idle, ceiling);
      this.#warnings.push(idle < ceiling ? "transactionTimeout" : "maxTransactionDuration");
      this.#end(this.#active, "expired");
    }
    this.#nowSeconds = until;
  }

  /** Stops and starts the server. Only committed data and the pause survive. */
  #restart(): void {
    const rejected = [
      ...this.#waiting.splice(0).map(({ place }) => place),
      ...this.#active?.resets.splice(0) ?? [],
    ];
    for (const place of rejected) this.#answer(place, { status: 503, error: "ShuttingDown" });
    if (this.#active !== undefined && this.#active.open.length > 0) this.#pass(LAST_CALL_SECONDS);
    if (this.#active !== undefined) this.#end(this.#active, "shutdown");
    this.#counts = freshCounts();
    this.#warnings = [];
  }

  #ticketCall(call: CallName, place: number): void {
    const transaction = this.#active;
    if (transaction === undefined) return this.#answer(place, ENDED);
    transaction.calls++;
    const body = call === "sendHalf" ? "halfway" : "there";
    transaction.open.push({ place, call, view: this.view, body });
    this.#goOn(transaction);
  }

  #endHalf(body: "there" | "lost"): void {
    const transaction = this.#active;
    const half = transaction?.open.find((call) => call.body === "halfway");
    if (transaction === undefined || half === undefined) return;
    half.body = body;
    if (body === "lost") this.#answer(half.place, GONE);
    this.#goOn(transaction);
  }

  /** Runs calls in order, up to one whose body is not complete. */
  #goOn(transaction: Transaction): void {
    while (this.#active === transaction && transaction.open.length > 0) {
      if (transaction.open[0]!.body === "halfway") return;
      const call = transaction.open.shift()!;
      if (call.body === "lost") return this.#end(transaction, "client");
      this.#runCall(transaction, call);
      if (this.#active === transaction && transaction.resets.length > 0) this.#end(transaction, "reset");
    }
  }

  #runCall(transaction: Transaction, { call, place, view }: TicketCall): void {
    const outcome = runInside(transaction.content, call, view, payloadOf(place), () => ++this.#versions);
    this.#answer(place, outcome);
    const { status, error } = outcome;
    if (call === "commit") return this.#commit(transaction);
    if (call === "rollback") return this.#end(transaction, "client");
    if (error === "ConcurrencyException" && call.startsWith("append")) this.#counts.appendsFailed++;
    if (status >= 400 && error !== "ProjectionNotFound") return this.#end(transaction, "error");
    transaction.lastCallSeconds = this.#nowSeconds;
  }

  #commit(transaction: Transaction): void {
    this.#committed = transaction.content;
    this.#end(transaction, "committed");
  }

  #end(transaction: Transaction, how: keyof Ends): void {
    this.#counts[how]++;
    this.#active = undefined;
    for (const { place, body } of transaction.open) if (body !== "lost") this.#answer(place, ENDED);
    for (const place of transaction.resets) this.#empty(place);
    this.#nextTurn();
  }
}
