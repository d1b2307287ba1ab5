import { reasonOf } from "../connection/create_store.ts";
import { openSession } from "../connection/open_session.ts";
import type { StorePlace } from "../connection/place.ts";
import { takeServerLock } from "../connection/server_lock.ts";
import { databaseFault } from "../connection/check_database.ts";
import { SessionLost } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { READ_STATE, type StoreRow, storeRow } from "../tables/state.ts";

/** How long a lost connection is tried to be replaced before a turn is refused, and how often. */
const RECONNECT_MILLISECONDS = 10_000;
const RECONNECT_PAUSE_MILLISECONDS = 250;

/** No write can be trusted any more. */
export class StoreBroken extends Error {
  override readonly name = "StoreBroken";
}

/**
 * The connection on which turns are taken. It holds the lock of the server that may write, and is replaced when it is
 * lost, as long as no other server has taken over.
 */
export class WriterSession {
  readonly #place: StorePlace;
  /** This server, in the row of the store. */
  readonly #server: string;
  #session: Session;

  constructor(place: StorePlace, server: string, session: Session) {
    this.#place = place;
    this.#server = server;
    this.#session = session;
  }

  /** The present connection. */
  get session(): Session {
    return this.#session;
  }

  /**
   * The connection, a new one if it was lost.
   * @throws SessionLost when none can be had in time, StoreBroken when another server has taken over
   */
  async ready(): Promise<Session> {
    if (this.#session.isOpen) return this.#session;
    const endAt = performance.now() + RECONNECT_MILLISECONDS;
    for (;;) {
      try {
        return this.#session = await this.#replacement();
      } catch (error) {
        if (error instanceof StoreBroken) throw error;
        if (performance.now() >= endAt) throw new SessionLost(reasonOf(error));
      }
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_PAUSE_MILLISECONDS));
    }
  }

  /** @throws StoreBroken when the row of the store names another server */
  checkOwner({ server }: StoreRow): void {
    if (server !== this.#server) throw new StoreBroken("another server has taken over the store");
  }

  async close(): Promise<void> {
    await this.#session.close();
  }

  async #replacement(): Promise<Session> {
    const session = await openSession(this.#place, "writing");
    try {
      const fault = await databaseFault(session);
      if (fault !== undefined) throw new SessionLost(fault);
      const [rows] = await session.run([READ_STATE]);
      this.checkOwner(storeRow(rows!));
      const holder = await takeServerLock(session, this.#place.schema, 0);
      // What held the lost connection may not be over yet.
      if (holder !== undefined) throw new SessionLost(`${holder} holds the lock`);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }
}
