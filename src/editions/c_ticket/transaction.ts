import { setImmediate } from "node:timers";
import { isStream, type Reply } from "../../http/exchange.ts";
import type { RoutedRequest } from "../../http/router.ts";
import { ApiError, ClientDisconnected, NoReply } from "../../model/errors.ts";
import { type Outcome, throwIfFailed } from "../../store/outcome.ts";
import type { StoreWriter } from "../../store/store.ts";
import { Deadlines, type DeadlineSeconds, type Expiry } from "./deadlines.ts";
import { OneAtATime } from "./one_at_a_time.ts";
import { reasonOf, type RollbackReason } from "./rollback_reason.ts";

export interface TransactionOptions {
  readonly turns: StoreWriter;
  readonly deadlines: DeadlineSeconds;
  /** Called once when a transaction whose ticket was given out has ended: how, and after how long. */
  readonly onEnd: (end: "committed" | RollbackReason, seconds: number) => void;
  readonly onExpiry: (why: Expiry) => void;
  /** Called with a rollback that failed because the writer is gone. */
  readonly reportFailure: (error: Error) => void;
}

type Call = Pick<RoutedRequest, "body" | "disconnected">;

/**
 * The transaction that a ticket stands for: one turn of the write queue that stays open over several calls.
 *
 * | State        | What happens in it                             | Next                                            |
 * | ------------ | ---------------------------------------------- | ----------------------------------------------- |
 * | beginning    | the writer begins; no ticket is out            | idle; rolling back if that fails or the client  |
 * |              |                                                | has left                                        |
 * | idle         | nobody calls; both deadlines run               | calling; rolling back at a deadline, a reset, a |
 * |              |                                                | stop                                            |
 * | calling      | one call is inside, others wait for it; only   | idle; committing; rolling back at an error, a   |
 * |              | the ceiling runs                               | client that leaves, the ceiling, `/rollback`; a |
 * |              |                                                | reset and a stop wait for the end of the call   |
 * | committing   | `#isOver`: every other call gets `410`         | ended, as `committed` or `error`                |
 * | rolling back | `#isOver`; the writer finishes what it is      | ended, for the reason that came first           |
 * |              | doing, then rolls back                         |                                                 |
 * | ended        | the turn is over, the next ticket goes out     |                                                 |
 */
export class Transaction {
  readonly ticket: string = crypto.randomUUID();
  readonly #options: TransactionOptions;
  readonly #calls = new OneAtATime();
  readonly #over = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #isOver = false;
  #deadlines: Deadlines | undefined;
  /** What the writer does for this transaction right now. */
  #working: Promise<unknown> = Promise.resolve();
  #callsBegun = 0;
  #callsOpen = 0;

  constructor(options: TransactionOptions) {
    this.#options = options;
  }

  /** Its deadlines, once the ticket has been given out. */
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
   * @returns whether the ticket may be given out: not if the client has left in the meantime
   */
  async begin(client: AbortSignal): Promise<boolean> {
    const leave = await this.#calls.enter();
    try {
      throwIfFailed(await this.inStore((turns) => turns.begin()));
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
   * before its call has begun or before it has the whole response. A missing projection is a response, not an
   * error.
   * @param handle is given the body
   * @throws ApiError `TicketNotActive`, or what `handle` throws
   */
  async call(request: Call, handle: (body: Bytes) => Promise<Reply>): Promise<Reply> {
    this.#callsBegun++;
    this.#callsOpen++;
    const mustWait = this.#calls.busy;
    const finish = once(await this.#calls.enter(), () => {
      this.#callsOpen--;
      if (!this.#isOver) this.#deadlines?.callEnded();
    });
    try {
      this.#assertActive();
      this.#deadlines?.callBegan();
      const body = await this.#bodyOf(request.body());
      if (mustWait) await assertPresent(request.disconnected);
      const reply = await handle(body);
      if (isStream(reply.body)) {
        // A client that reads slowly must not keep others from learning that the transaction is over.
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

  /** Has the writer do something inside the transaction. @throws ApiError `TicketNotActive` */
  async inStore<T>(work: (turns: StoreWriter) => Promise<T>): Promise<T> {
    this.#assertActive();
    const running = work(this.#options.turns);
    this.#working = running.catch(() => {});
    return await running;
  }

  /** @throws ApiError `TicketNotActive`, or the error of a turn that failed */
  async commit(): Promise<void> {
    this.#assertActive();
    const running = this.inStore((turns) => turns.commit());
    this.#close();
    const outcome: Outcome<void> = await running.catch((error: Error) => {
      // The writer died. Whether it had committed is unknown.
      return { kind: "unknown", reason: error.message };
    });
    this.#finished(outcome.kind === "done" ? "committed" : "error");
    throwIfFailed(outcome);
  }

  /**
   * The one way to end without a commit. Only the first reason counts; nothing new begins, what the writer is
   * doing is finished, and then it rolls back.
   * @returns once that has happened
   */
  async end(reason: RollbackReason): Promise<void> {
    if (!this.#isOver) {
      this.#close();
      await this.#working;
      await this.#options.turns.rollback().catch(this.#options.reportFailure);
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
  async #bodyOf(body: Promise<Bytes>): Promise<Bytes> {
    // Once nothing awaits it, its failure must be handled here.
    body.catch(() => {});
    const first = await Promise.race([body, this.#over.promise]);
    if (first === undefined) throw new ApiError("TicketNotActive");
    return first;
  }

  #expire(why: Expiry): void {
    if (this.#isOver) return;
    this.#options.onExpiry(why);
    this.end("expired");
  }

  #assertActive(): void {
    if (this.#isOver) throw new ApiError("TicketNotActive");
  }

  #close(): void {
    this.#isOver = true;
    this.#deadlines?.stop();
    this.#over.resolve();
  }

  #finished(end: "committed" | RollbackReason): void {
    // Without deadlines the ticket was never given out, so no transaction has begun for any client.
    if (this.#deadlines !== undefined) this.#options.onEnd(end, this.#deadlines.age.seconds);
    this.#ended.resolve();
  }

  /** The stream of a response, which is part of the call. */
  async *#watched(stream: AsyncIterable<Bytes>, finish: () => void): AsyncGenerator<Bytes, void> {
    let complete = false;
    let reason: RollbackReason = "client";
    try {
      yield* stream;
      complete = true;
    } catch (error) {
      reason = reasonOf(error);
      // The response has begun: it can only break off.
      throw isCut(error) ? new TransactionOver("the transaction ended while it was being read") : error;
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
 * Whether a call still has its client is known only once its body has been read, and a call that waited for
 * another one may have lost its client in the meantime. @throws ClientDisconnected
 */
async function assertPresent(left: AbortSignal): Promise<void> {
  if (!left.aborted) await new Promise<void>((resolve) => setImmediate(resolve));
  if (left.aborted) throw new ClientDisconnected();
}

/** The transaction of a page ended: the response breaks off without a trailer, and nothing has failed. */
class TransactionOver extends NoReply {
  override readonly name = "TransactionOver";
}

function isCut(error: unknown): boolean {
  return error instanceof ApiError && error.code === "TicketNotActive";
}
