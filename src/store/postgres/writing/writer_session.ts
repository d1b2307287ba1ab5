import { delay } from "../../../async/delay.ts";
import { reasonOf } from "../connection/address.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { MustNotWrite, type WriteOwnership } from "../cluster/write_ownership.ts";
import { ACTIVE_HEARTBEAT } from "../time_limits.ts";

/** How long the server tries to replace a lost connection before it rejects a write transaction, and how often. */
const RECONNECT_MILLISECONDS = 10_000;
const RECONNECT_PAUSE_MILLISECONDS = 250;

/** The connection for write transactions. A lost connection is replaced, as long as this server may write. */
export class WriterSession {
  readonly #ownership: WriteOwnership;
  #session: Session;
  #connecting: Promise<Session> | undefined;
  #isClosed = false;
  /** Called when this server lost its connection, and learns from a new one that another server has taken over. */
  onReplaced: (reason: string) => void = () => {};

  /** @param session has taken the ownership already */
  constructor(ownership: WriteOwnership, session: Session) {
    this.#ownership = ownership;
    this.#session = session;
    if (!ownership.isShared) this.#keep(session);
  }

  /** The current connection. */
  get session(): Session {
    return this.#session;
  }

  /**
   * Returns the connection, a new one if the last one was lost.
   * @throws SessionLost when no connection succeeds in time, MustNotWrite when this server may not write any more
   */
  async ready(): Promise<Session> {
    if (this.#session.isOpen) {
      if (this.#ownership.primary.isCurrent(this.#session)) return this.#session;
      await this.#session.close();
    }
    this.#connecting ??= this.#connect().finally(() => this.#connecting = undefined);
    return await this.#connecting;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#session.close();
  }

  async #connect(): Promise<Session> {
    const endAt = performance.now() + RECONNECT_MILLISECONDS;
    while (!this.#isClosed) {
      try {
        this.#session = await this.#ownership.open();
        if (this.#isClosed) await this.#session.close();
        else if (!this.#ownership.isShared) this.#keep(this.#session);
        return this.#session;
      } catch (error) {
        if (error instanceof MustNotWrite) throw error;
        if (performance.now() >= endAt) throw new SessionLost(reasonOf(error));
      }
      await delay(RECONNECT_PAUSE_MILLISECONDS);
    }
    throw new SessionLost("the store was closed");
  }

  /** Sends heartbeats on a session. When it is lost, tries to replace it before another server takes over. */
  #keep(session: Session): void {
    let isAnswered = true;
    const answered = (): void => void (isAnswered = true);
    const heartbeats = setInterval(() => {
      if (!isAnswered) return;
      isAnswered = false;
      // An error is an answer, too: the heartbeat may run in a transaction in which a statement has failed.
      session.run([{ sql: "SELECT" }]).then(
        answered,
        (error) => error instanceof DatabaseError && answered(),
      );
    }, ACTIVE_HEARTBEAT);
    session.ended.then(() => {
      clearInterval(heartbeats);
      this.#regain();
    });
  }

  async #regain(): Promise<void> {
    while (!this.#isClosed && !this.#session.isOpen) {
      try {
        await this.ready();
      } catch (error) {
        if (error instanceof MustNotWrite) return this.onReplaced(error.message);
      }
    }
  }
}
