import { reasonOf } from "../connection/create_store.ts";
import { openSession } from "../connection/open_session.ts";
import type { StorePlace } from "../connection/place.ts";
import { databaseFault } from "../connection/check_database.ts";
import { SessionLost } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { type Claim, StoreBroken } from "../servers/claim.ts";

/** How long a lost connection is tried to be replaced before a turn is refused, and how often. */
const RECONNECT_MILLISECONDS = 10_000;
const RECONNECT_PAUSE_MILLISECONDS = 250;

/** The connection on which turns are taken. It is replaced when it is lost, as long as this server may write. */
export class WriterSession {
  readonly #place: StorePlace;
  readonly #claim: Claim;
  #session: Session;

  /** @param session one that has taken the claim */
  constructor(place: StorePlace, claim: Claim, session: Session) {
    this.#place = place;
    this.#claim = claim;
    this.#session = session;
  }

  /** The present connection. */
  get session(): Session {
    return this.#session;
  }

  /**
   * The connection, a new one if it was lost.
   * @throws SessionLost when none can be had in time, StoreBroken when this server may not write any more
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

  async close(): Promise<void> {
    await this.#session.close();
  }

  async #replacement(): Promise<Session> {
    const session = await openSession(this.#place, "writing");
    try {
      const fault = await databaseFault(session);
      if (fault !== undefined) throw new SessionLost(fault);
      await this.#claim.keep(session);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }
}
