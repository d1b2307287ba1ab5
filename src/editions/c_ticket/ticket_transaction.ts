import { Semaphore } from "../../async/semaphore.ts";
import type { Access } from "../../model/access.ts";
import { ApiError } from "../../model/errors.ts";
import { type Outcome, throwIfFailed } from "../../store/api/outcome.ts";
import type { StoreView } from "../../view/store_view.ts";
import type { OperatedStore } from "../edition.ts";
import { Deadlines, type DeadlineSeconds, type Expiry } from "./deadlines.ts";

/** Why a transaction was rolled back. `client`: the client asked for it, or disconnected in the middle of a call. */
export type RollbackReason = "client" | "error" | "expired" | "shutdown" | "reset";

export interface TransactionOptions {
  /** The access that began it. No other may call it. */
  readonly owner: Access;
  /** The events and projections that its calls read and write. */
  readonly view: StoreView;
  readonly writer: Pick<OperatedStore["writer"], "begin" | "commit" | "rollback">;
  readonly deadlines: DeadlineSeconds;
  /** Called once when a transaction whose ticket was given out has ended, with the end and the duration. */
  readonly onEnd: (end: "committed" | RollbackReason, seconds: number) => void;
  readonly onExpiry: (why: Expiry) => void;
  /** Called when a rollback failed because the writer is gone. */
  readonly reportFailure: (error: Error) => void;
}

/**
 * The transaction that a ticket stands for: one turn of the write queue that stays open over several calls.
 *
 * | State        | What happens in it                             | Next                                            |
 * | ------------ | ---------------------------------------------- | ----------------------------------------------- |
 * | beginning    | the writer begins; no ticket is out            | idle; rolling back if that fails or the client  |
 * |              |                                                | has disconnected                                |
 * | idle         | no call runs; both deadlines run               | calling; rolling back at a deadline, a reset, a |
 * |              |                                                | stop                                            |
 * | calling      | one call is inside, others wait for it; only   | idle; committing; rolling back at an error, a   |
 * |              | the ceiling runs                               | client that leaves, the ceiling, `/rollback`; a |
 * |              |                                                | reset and a stop wait for the end of the call   |
 * | committing   | `#isOver`: every other call gets `410`         | ended, as `committed` or `error`                |
 * | rolling back | `#isOver`; the writer finishes what it is      | ended, for the reason that came first           |
 * |              | doing, then rolls back                         |                                                 |
 * | ended        | the turn is over, the next ticket goes out     |                                                 |
 */
export class TicketTransaction {
  readonly ticket: string = crypto.randomUUID();
  readonly #options: TransactionOptions;
  readonly #calls = new Semaphore(1);
  readonly #over = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #isOver = false;
  #deadlines: Deadlines | undefined;
  /** The writer's current work for this transaction. */
  #working: Promise<unknown> = Promise.resolve();
  #callsBegun = 0;
  #callsOpen = 0;

  constructor(options: TransactionOptions) {
    this.#options = options;
  }

  get owner(): Access {
    return this.#options.owner;
  }

  get view(): StoreView {
    return this.#options.view;
  }

  /** The deadlines, or undefined until the ticket has been given out. */
  get deadlines(): Deadlines | undefined {
    return this.#deadlines;
  }

  get callsBegun(): number {
    return this.#callsBegun;
  }

  get callsOpen(): number {
    return this.#callsOpen;
  }

  /** Resolves when no further call may begin, and the running one should end. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Resolves when the database transaction has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /**
   * Begins the database transaction.
   * @returns whether the ticket may be given out: false if the client has disconnected in the meantime
   */
  async begin(client: AbortSignal): Promise<boolean> {
    const leave = await this.#calls.enter();
    try {
      throwIfFailed(await this.inStore(() => this.#options.writer.begin()));
      // A client that disconnects later may have its ticket already, and may only have closed that connection.
      if (client.aborted) return false;
      this.#deadlines = new Deadlines(this.#options.deadlines, (why) => this.#expire(why));
      return true;
    } finally {
      leave();
    }
  }

  /**
   * Begins a call once the earlier ones are done.
   * @returns a function that ends it, of which only the first call counts, and whether the call had to wait
   * @throws ApiError `TicketNotActive`
   */
  async beginCall(): Promise<{ readonly finish: () => void; readonly hasWaited: boolean }> {
    this.#callsBegun++;
    this.#callsOpen++;
    const hasWaited = this.#calls.isFull;
    const leave = await this.#calls.enter();
    let isOpen = true;
    const finish = (): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#callsOpen--;
      if (!this.#isOver) this.#deadlines?.callEnded();
      leave();
    };
    if (this.#isOver) {
      await this.ended;
      finish();
      this.#assertActive();
    }
    this.#deadlines?.callBegan();
    return { finish, hasWaited };
  }

  /** Runs `work` inside the transaction. @throws ApiError `TicketNotActive` */
  async inStore<T>(work: () => Promise<T>): Promise<T> {
    this.#assertActive();
    const running = work();
    this.#working = running.catch(() => {});
    return await running;
  }

  /** @throws ApiError `TicketNotActive`, or the error of a write transaction that failed */
  async commit(): Promise<void> {
    this.#assertActive();
    const running = this.inStore(() => this.#options.writer.commit());
    this.#close();
    const outcome: Outcome<void> = await running.catch((error: Error) => {
      // The writer died. The server does not know whether it had committed.
      return { kind: "unknown", reason: error.message };
    });
    this.#finished(outcome.kind === "done" ? "committed" : "error");
    throwIfFailed(outcome);
  }

  /**
   * Ends the transaction without a commit; there is no other way. Only the first reason counts. Nothing new begins;
   * the writer finishes its current work, then rolls back.
   * @returns once the rollback is done
   */
  async end(reason: RollbackReason): Promise<void> {
    if (!this.#isOver) {
      this.#close();
      await this.#working;
      await this.#options.writer.rollback().catch(this.#options.reportFailure);
      this.#finished(reason);
    }
    await this.ended;
  }

  /** Ends the transaction as soon as the running call is done. */
  async cut(reason: RollbackReason): Promise<void> {
    const leave = await this.#calls.enter({ first: true });
    await this.end(reason);
    leave();
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
    // Without deadlines the ticket was never given out, so no client saw the transaction begin.
    if (this.#deadlines !== undefined) this.#options.onEnd(end, this.#deadlines.age.seconds);
    this.#ended.resolve();
  }
}
