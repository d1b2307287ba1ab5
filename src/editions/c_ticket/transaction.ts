import { setImmediate } from "node:timers/promises";
import { mustHaveSucceeded } from "../../core/turn_end.ts";
import type { Reply } from "../../http/exchange.ts";
import type { Call } from "../../http/router.ts";
import { ClientLeft, NoReply, Refusal } from "../../model/errors.ts";
import type { Store } from "../../store/store.ts";
import { Deadlines, type DeadlineSeconds, type Expiry } from "./deadlines.ts";
import { OneAtATime } from "./one_at_a_time.ts";

/** Why a transaction was rolled back. `client`: asked to, or left in the middle of a call. */
export type RollbackReason = "client" | "error" | "expired" | "shutdown" | "reset";

export interface TransactionOptions {
  readonly store: Store;
  readonly deadlines: DeadlineSeconds;
  /** Told once how a transaction ended whose ticket was given out, and how long that had been. */
  readonly onEnd: (end: "committed" | RollbackReason, seconds: number) => void;
  readonly onExpiry: (why: Expiry) => void;
  /** Told of a rollback that failed because the writer is gone. */
  readonly reportFailure: (error: Error) => void;
}

/** The transaction that a ticket stands for: one turn of the write queue that stays open over several calls. */
export class Transaction {
  readonly ticket: string = crypto.randomUUID();
  readonly #options: TransactionOptions;
  readonly #calls = new OneAtATime();
  readonly #over = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #isOver = false;
  #deadlines: Deadlines | undefined;
  /** What the writer does for this transaction right now. */
  #sql: Promise<unknown> = Promise.resolve();
  #callsBegun = 0;
  #callsOpen = 0;

  constructor(options: TransactionOptions) {
    this.#options = options;
  }

  /** Its deadlines, once the ticket was given out. */
  get deadlines(): Deadlines | undefined {
    return this.#deadlines;
  }

  /** Calls so far. */
  get callsBegun(): number {
    return this.#callsBegun;
  }

  /** Calls that run, or wait for another one. */
  get callsOpen(): number {
    return this.#callsOpen;
  }

  /** Resolves when the database is done with it. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /**
   * Begins the database transaction.
   * @returns whether the ticket may be given out: not when the client has left meanwhile
   */
  async begin(client: AbortSignal): Promise<boolean> {
    const leave = await this.#calls.enter();
    try {
      const { failure } = await this.sql((store) => store.begin());
      mustHaveSucceeded(failure);
      // A client that leaves later may have its ticket already, and only closed the connection that brought it.
      if (client.aborted) return false;
      this.#deadlines = new Deadlines(this.#options.deadlines, (why) => this.#expire(why));
      return true;
    } finally {
      leave();
    }
  }

  /**
   * Runs a call once those before it are done. An error ends the transaction, and so does a client that leaves
   * before its call has begun or before it has the whole answer. A projection that is not there is an answer,
   * not an error.
   * @param handle is given the body
   * @throws Refusal `TicketNotActive`, or what `handle` throws
   */
  async call(call: Call, handle: (body: Bytes) => Promise<Reply>): Promise<Reply> {
    this.#callsBegun++;
    this.#callsOpen++;
    const mustWait = this.#calls.busy;
    const finish = once(await this.#calls.enter(), () => {
      this.#callsOpen--;
      if (!this.#isOver) this.#deadlines?.callEnded();
    });
    try {
      this.#mustGoOn();
      this.#deadlines?.callBegan();
      const body = await this.#bodyOf(call);
      if (mustWait) await mustBeThere(call.left);
      const reply = await handle(body);
      if (reply.body !== null && !(reply.body instanceof Uint8Array)) {
        // A client that reads slowly must not keep others from hearing that the transaction is over.
        this.#over.promise.then(finish);
        return { ...reply, body: this.#watched(reply.body, finish) };
      }
      finish();
      return reply;
    } catch (error) {
      await this.end(reasonOf(error));
      finish();
      throw error;
    }
  }

  /** Lets the writer do something inside the transaction. @throws Refusal `TicketNotActive` */
  async sql<T>(work: (store: Store) => Promise<T>): Promise<T> {
    this.#mustGoOn();
    const running = work(this.#options.store);
    this.#sql = running.catch(() => {});
    return await running;
  }

  /** @throws Refusal `TicketNotActive`, or the error of a turn that failed */
  async commit(): Promise<void> {
    this.#mustGoOn();
    const running = this.sql((store) => store.commit());
    this.#close();
    const failure = await running.catch((error: Error) => {
      // The writer died. Whether it had committed is unknown.
      return { kind: "unknown" as const, reason: error.message };
    });
    this.#finished(failure === undefined ? "committed" : "error");
    mustHaveSucceeded(failure);
  }

  /**
   * The one way to end without a commit. Only the first reason counts; nothing new begins, what the writer is
   * doing is finished, and then it rolls back.
   * @returns once that has happened
   */
  async end(reason: RollbackReason): Promise<void> {
    if (!this.#isOver) {
      this.#close();
      await this.#sql;
      await this.#options.store.rollback().catch(this.#options.reportFailure);
      this.#finished(reason);
    }
    await this.ended;
  }

  /** Ends as soon as the call that runs right now is done. */
  async cut(reason: RollbackReason): Promise<void> {
    const leave = await this.#calls.enter({ first: true });
    await this.end(reason);
    leave();
  }

  /** The body of a call. It is not waited for any longer than the transaction lasts. */
  async #bodyOf(call: Call): Promise<Bytes> {
    const body = call.body();
    // When nobody waits for it any more, nobody hears of its failure either.
    body.catch(() => {});
    const first = await Promise.race([body, this.#over.promise]);
    if (first === undefined) throw new Refusal("TicketNotActive");
    return first;
  }

  #expire(why: Expiry): void {
    if (this.#isOver) return;
    this.#options.onExpiry(why);
    this.end("expired");
  }

  #mustGoOn(): void {
    if (this.#isOver) throw new Refusal("TicketNotActive");
  }

  #close(): void {
    this.#isOver = true;
    this.#deadlines?.stop();
    this.#over.resolve();
  }

  #finished(end: "committed" | RollbackReason): void {
    // Without deadlines the ticket was never given out, so that nobody began anything.
    if (this.#deadlines !== undefined) this.#options.onEnd(end, this.#deadlines.ageSeconds);
    this.#ended.resolve();
  }

  /** The stream of an answer, which is part of the call. */
  async *#watched(stream: AsyncIterable<Bytes>, finish: () => void): AsyncGenerator<Bytes, void> {
    let complete = false;
    let reason: RollbackReason = "client";
    try {
      yield* stream;
      complete = true;
    } catch (error) {
      reason = reasonOf(error);
      // The answer has begun: it can't become another one, only break off.
      throw isCut(error) ? new TransactionOver("the transaction ended while it was read") : error;
    } finally {
      if (!complete) await this.end(reason);
      finish();
    }
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Both of them, but only the first time. */
function once(leave: () => void, note: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    note();
    leave();
  };
}

/**
 * Whether its client is there shows only when the body of a call has been read, and a call that waited for
 * another one may have lost its client meanwhile. @throws ClientLeft
 */
async function mustBeThere(left: AbortSignal): Promise<void> {
  if (!left.aborted) await setImmediate();
  if (left.aborted) throw new ClientLeft();
}

/** The transaction of a page ended: the answer breaks off without a trailer, and nothing has failed. */
class TransactionOver extends NoReply {
  override readonly name = "TransactionOver";
}

function isCut(error: unknown): boolean {
  return error instanceof Refusal && error.code === "TicketNotActive";
}

function reasonOf(error: unknown): RollbackReason {
  return error instanceof ClientLeft ? "client" : "error";
}
