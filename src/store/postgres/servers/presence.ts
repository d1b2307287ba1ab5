import { openSession } from "../connection/open_session.ts";
import type { StorePlace } from "../connection/place.ts";
import type { Session } from "../protocol/session.ts";
import { deleteServer, SIGN_SECONDS, writeSeen } from "../tables/servers.ts";
import type { Claim } from "./claim.ts";

/** Shows other servers that this one is there, on a connection of its own. */
export class Presence {
  readonly #place: StorePlace;
  readonly #claim: Claim;
  readonly #timer: ReturnType<typeof setInterval>;
  #session: Session | undefined;
  #showing: Promise<void> = Promise.resolve();

  constructor(place: StorePlace, claim: Claim) {
    this.#place = place;
    this.#claim = claim;
    this.#timer = setInterval(() => this.#showing = this.#show(), 1000 * SIGN_SECONDS);
  }

  /** Says that this server has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#showing;
    try {
      const session = await this.#open();
      await session.run([deleteServer(this.#claim.server)]);
      await session.close();
    } catch {
      // It is seen for a while longer.
    }
  }

  async #show(): Promise<void> {
    try {
      const session = await this.#open();
      await session.run([writeSeen(this.#claim.server, this.#claim.edition)]);
    } catch {
      // The next time may be better.
    }
  }

  async #open(): Promise<Session> {
    if (this.#session?.isOpen) return this.#session;
    return this.#session = await openSession(this.#place, "reading");
  }
}
