import type { Standby } from "../api/standby.ts";
import { openPrimary } from "./connection/open_session.ts";
import type { PostgresLocation } from "./connection/address.ts";
import { makeReady, PostgresStore, type PostgresStoreOptions } from "./postgres_store.ts";
import type { Session } from "./protocol/session.ts";
import { READ_STATE, storeRow } from "./tables/state.ts";
import { endSession, readActive } from "./cluster/active_server.ts";
import { STANDBY_POLL } from "./time_limits.ts";
import { isOlder } from "./cluster/failover.ts";

/** One in this many checks of the active server is thorough, and reads the store ID, too. */
const POLLS_PER_STATE = 10;

/** An active server reconnects more often, so it stays active when all servers have lost their connections. */
const RECONNECT_MILLISECONDS = 1000;

/** Stands by for the server that has the store exclusively, and takes over when that server ends. */
export class PostgresStandby implements Standby {
  storeId = "";
  fault: string | undefined;
  /** The store of the last time in which this server was active. */
  served: PostgresStore | undefined;
  /** The latest timeline on which this server has stood by. */
  #timeline = "";
  readonly #location: PostgresLocation;
  readonly #options: PostgresStoreOptions;
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;
  #session: Session | undefined;

  constructor(location: PostgresLocation, options: PostgresStoreOptions) {
    this.#location = location;
    this.#options = options;
  }

  async takeOver(): Promise<PostgresStore | undefined> {
    while (!this.#isClosed) {
      try {
        const session = await openPrimary(this.#location, "writing", {
          faultOf: (made) => this.#faultOf(made),
          isLatest: true,
        });
        this.#session = session;
        await makeReady(this.#location, session, this.#options);
        if (!await this.#waitForEnd(session)) break;
        const store = await PostgresStore.openOn(session, this.#location, this.#options, false);
        // From now on, the session belongs to the store, and may live longer than this standby.
        this.#session = undefined;
        return this.served = store;
      } catch (error) {
        this.fault = (error as Error).message;
        await this.#session?.close();
        await this.#pause(RECONNECT_MILLISECONDS);
      }
    }
    await this.#session?.close();
    return undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closed.resolve();
    await this.#session?.close();
  }

  /** A primary that was replaced does not know which server is active on the new one. */
  #faultOf({ timeline }: Session): string | undefined {
    const known = [this.#timeline, this.served?.timeline ?? ""];
    return known.some((each) => isOlder(timeline, each)) ? "was the primary before a failover" : undefined;
  }

  /**
   * Waits until no server is active.
   * @returns false when `close` has ended the wait
   */
  async #waitForEnd(session: Session): Promise<boolean> {
    this.#timeline = session.timeline;
    for (let polls = 0; !this.#isClosed; polls++) {
      const active = await readActive(session, polls % POLLS_PER_STATE !== 0);
      if (active === undefined) return true;
      if (polls % POLLS_PER_STATE === 0) {
        const [rows] = await session.run([READ_STATE]);
        this.storeId = storeRow(rows!).storeId;
        this.fault = active.isSilent ? await endSession(session, active) : undefined;
      }
      await this.#pause(STANDBY_POLL);
    }
    return false;
  }

  async #pause(milliseconds: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<void>((resolve) => timer = setTimeout(resolve, milliseconds));
    await Promise.race([over, this.#closed.promise]);
    clearTimeout(timer);
  }
}
