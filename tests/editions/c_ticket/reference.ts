import type { ReferenceStore, WireQuery, WireWrite } from "../a_write/reference.ts";

/*
 * A model of edition C in memory, written from its document: one transaction at a time, a queue of waiting requests,
 * and a clock that moves only on request. What a call with a ticket does to the content, its caller knows. The tests
 * play sequences of calls against this model, the audit random commands.
 */

export interface Outcome {
  readonly status: number;
  readonly error?: string;
  readonly message?: string;
  /** The content read or written. */
  readonly found?: unknown;
}

/** The outcome of a request whose client has disconnected: it gets no answer. */
export const GONE: Outcome = { status: 0 };
export const DONE: Outcome = { status: 204 };
const ENDED: Outcome = { status: 410, error: "TicketNotActive" };

/** The answers that came with one step, by the number of their request: one may come long after its request. */
export type Answers = ReadonlyMap<number, Outcome>;

/** A stopping server lets the running call continue for this time. */
const LAST_CALL_SECONDS = 5;

/** The number of ended transactions, by how they ended. */
export type Ends = Record<"committed" | "client" | "error" | "expired" | "shutdown" | "reset", number>;
export type Counts = Ends & Record<"started" | "appendsFailed", number>;

export function freshCounts(): Counts {
  return {
    started: 0,
    committed: 0,
    client: 0,
    error: 0,
    expired: 0,
    shutdown: 0,
    reset: 0,
    appendsFailed: 0,
  };
}

export interface TicketLimits {
  readonly transactionTimeout: number;
  readonly maxTransactionDuration: number;
  readonly maxQueuedTransactions: number;
}

/** A waiting request. Its number identifies it. */
export interface Waiting {
  readonly place: number;
  readonly kind: "transaction" | "pause" | "resume";
}

export interface TicketCall {
  readonly place: number;
  /** "commit", "rollback", a name that begins with "append", or any other name. */
  readonly name: string;
  /** Runs the call on the content that the transaction sees. */
  readonly run: (content: ReferenceStore) => Outcome;
}

interface OpenCall extends TicketCall {
  /** The body may still be incomplete ("halfway"), or never come ("lost"). */
  body: "there" | "halfway" | "lost";
}

interface Transaction {
  readonly sinceSeconds: number;
  /** The end of the last successful call. */
  lastCallSeconds: number;
  calls: number;
  readonly content: ReferenceStore;
  /** The running call, which can only be a half-sent one, and the calls that wait for it. */
  readonly open: OpenCall[];
  /** Resets that wait for the running call. */
  readonly resets: Reset[];
}

interface Reset {
  readonly place: number;
  /** The ID that the server draws for the emptied store. */
  readonly drawStoreId: () => string;
}

export class ReferenceTickets {
  committed: ReferenceStore;
  /** The file of a pause survives a stop and a kill. */
  paused = false;
  readonly counts: Counts;
  readonly #limits: TicketLimits;
  #nowSeconds = 0;
  #active: Transaction | undefined;
  #waiting: Waiting[] = [];
  #answered = new Map<number, Outcome>();
  #warnings: string[] = [];

  constructor(committed: ReferenceStore, limits: TicketLimits, counts = freshCounts()) {
    this.committed = committed;
    this.#limits = limits;
    this.counts = counts;
  }

  get active(): Pick<Transaction, "content" | "calls"> | undefined {
    return this.#active;
  }

  /** The content that the sender of the next call sees. */
  get content(): ReferenceStore {
    return this.#active?.content ?? this.committed;
  }

  get queued(): readonly Waiting["kind"][] {
    return this.#waiting.map(({ kind }) => kind);
  }

  get httpOpen(): number {
    return this.#waiting.length + (this.#active?.open.length ?? 0);
  }

  /** The settings of the deadlines that were reached. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** The state of the transaction, and the time, which matters to a transaction alone, as text. */
  get transactionState(): string {
    if (this.#active === undefined) return "";
    const { content: _, ...rest } = this.#active;
    return JSON.stringify([this.#nowSeconds, rest]);
  }

  /** `POST /begin`, `/pause` and `/resume`. A pause or a resume that changes nothing needs no turn. */
  join(kind: Waiting["kind"], place: number): Answers {
    return this.#step(() => {
      const pauseComes = this.#waiting.some(({ kind }) => kind === "pause");
      if (kind === "pause" && this.paused) return this.#answer(place, DONE);
      if (kind === "resume" && !this.paused && !pauseComes) return this.#answer(place, DONE);
      if (this.#active !== undefined && this.#waiting.length >= this.#limits.maxQueuedTransactions) {
        return this.#answer(place, { status: 503, error: "TransactionQueueFull" });
      }
      this.#waiting.push({ place, kind });
      this.#nextTurn();
    });
  }

  /** The client that has waited longest disconnects. */
  leave(): Answers {
    return this.#step(() => {
      const leaver = this.#waiting.shift();
      if (leaver !== undefined) this.#answer(leaver.place, GONE);
    });
  }

  /** Makes a call with the ticket that is active, or was last. @param body "halfway" when its rest comes later */
  call(call: TicketCall, body: "there" | "halfway" = "there"): Answers {
    return this.#step(() => {
      const transaction = this.#active;
      if (transaction === undefined) return this.#answer(call.place, ENDED);
      transaction.calls++;
      transaction.open.push({ ...call, body });
      this.#goOn(transaction);
    });
  }

  /** The rest of a half-sent body comes, or its client disconnects. */
  endHalf(body: "there" | "lost"): Answers {
    return this.#step(() => {
      const half = this.#active?.open.find((call) => call.body === "halfway");
      if (half === undefined) return;
      half.body = body;
      if (body === "lost") this.#answer(half.place, GONE);
      this.#goOn(this.#active!);
    });
  }

  /** Resets the store at once, or after the running call of the active transaction, which it ends. */
  reset(place: number, drawStoreId: () => string): Answers {
    return this.#step(() => {
      const transaction = this.#active;
      if (transaction === undefined) return this.#empty({ place, drawStoreId });
      transaction.resets.push({ place, drawStoreId });
      if (transaction.open.length === 0) this.#end(transaction, "reset");
    });
  }

  /** Time passes. */
  pass(seconds: number): Answers {
    return this.#step(() => this.#pass(seconds));
  }

  /** Stops and starts the server. Only committed data and the pause survive. */
  restart(): Answers {
    return this.#step(() => {
      const rejected = [...this.#waiting.splice(0), ...this.#active?.resets.splice(0) ?? []];
      for (const { place } of rejected) this.#answer(place, { status: 503, error: "ShuttingDown" });
      if (this.#active !== undefined && this.#active.open.length > 0) this.#pass(LAST_CALL_SECONDS);
      if (this.#active !== undefined) this.#end(this.#active, "shutdown");
      this.#forget();
    });
  }

  /** Kills and starts the server. @returns the requests that waited, and get no answer */
  kill(): readonly Waiting[] {
    this.#active = undefined;
    this.#forget();
    return this.#waiting.splice(0);
  }

  #forget(): void {
    Object.assign(this.counts, freshCounts());
    this.#warnings = [];
  }

  #step(run: () => void): Answers {
    this.#answered = new Map();
    run();
    return this.#answered;
  }

  #answer(place: number, outcome: Outcome): void {
    this.#answered.set(place, outcome);
  }

  #nextTurn(): void {
    while (this.#active === undefined && this.#waiting.length > 0) {
      const { place, kind } = this.#waiting.shift()!;
      if (kind !== "transaction") {
        this.paused = kind === "pause";
        this.#answer(place, DONE);
      } else if (this.paused) {
        this.#answer(place, { status: 503, error: "Paused" });
      } else {
        this.#answer(place, { status: 200, found: "a ticket" });
        this.counts.started++;
        this.#active = {
          sinceSeconds: this.#nowSeconds,
          lastCallSeconds: this.#nowSeconds,
          calls: 0,
          content: this.committed.copy(),
          open: [],
          resets: [],
        };
      }
    }
  }

  #empty({ place, drawStoreId }: Reset): void {
    this.committed.reset();
    this.committed.storeId = drawStoreId();
    this.#answer(place, DONE);
  }

  #pass(seconds: number): void {
    const until = this.#nowSeconds + seconds;
    while (this.#active !== undefined) {
      const { sinceSeconds, lastCallSeconds, open } = this.#active;
      const ceiling = sinceSeconds + this.#limits.maxTransactionDuration;
      // While a call runs, only the ceiling counts.
      const idle = open.length > 0 ? Infinity : lastCallSeconds + this.#limits.transactionTimeout;
      if (Math.min(idle, ceiling) > until) break;
      this.#nowSeconds = Math.min(idle, ceiling);
      this.#warnings.push(idle < ceiling ? "transactionTimeout" : "maxTransactionDuration");
      this.#end(this.#active, "expired");
    }
    this.#nowSeconds = until;
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

  #runCall(transaction: Transaction, { place, name, run }: TicketCall): void {
    const outcome = run(transaction.content);
    this.#answer(place, outcome);
    const { status, error } = outcome;
    if (name === "commit" && status < 400) {
      this.committed = transaction.content;
      return this.#end(transaction, "committed");
    }
    if (name === "rollback" && status < 400) return this.#end(transaction, "client");
    if (error === "ConcurrencyException" && name.startsWith("append")) this.counts.appendsFailed++;
    if (status >= 400 && error !== "ProjectionNotFound") return this.#end(transaction, "error");
    transaction.lastCallSeconds = this.#nowSeconds;
  }

  #end(transaction: Transaction, how: keyof Ends): void {
    this.counts[how]++;
    this.#active = undefined;
    for (const { place, body } of transaction.open) if (body !== "lost") this.#answer(place, ENDED);
    for (const reset of transaction.resets) this.#empty(reset);
    this.#nextTurn();
  }
}

export interface AppendCondition {
  readonly failIfEventsMatch?: WireQuery;
  readonly afterSequence?: number;
}

/** Returns the conflict of an append whose condition does not hold. An append of nothing skips its condition. */
export function appendConflict(
  content: ReferenceStore,
  events: WireWrite["events"],
  { failIfEventsMatch, afterSequence }: AppendCondition = {},
): { readonly condition: 0; readonly sequence: number } | undefined {
  const unwanted = failIfEventsMatch ?? (afterSequence === undefined ? [] : "*");
  const [first] = events.length === 0 ? [] : content.matching(unwanted, afterSequence ?? 0);
  return first && { condition: 0, sequence: first.sequence };
}
