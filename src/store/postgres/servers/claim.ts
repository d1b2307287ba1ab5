import { PostgresStoreError, type StorePlace } from "../connection/place.ts";
import { SessionLost } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { DELETE_FORGOTTEN, readOthers, seenServers, writeSeen } from "../tables/servers.ts";
import { LOCK_STATE, type Owner, READ_STATE, storeRow, writeOwner } from "../tables/state.ts";
import { takeServerLock } from "./server_lock.ts";

/** Which servers may write to one store at a time: all those of an edition, or one alone. */
export type Servers = "shared" | "exclusive";

/** No write can be trusted any more. */
export class StoreBroken extends Error {
  override readonly name = "StoreBroken";
}

/** Another server has the store to itself. */
export class StoreInUse extends PostgresStoreError {
  readonly storeId: string;

  constructor(place: StorePlace, holder: string, storeId: string) {
    super(place, `it is in use by ${holder}`);
    this.storeId = storeId;
  }
}

/** How long a server waits for the end of one that had the store before it. */
const PREDECESSOR_MILLISECONDS = 5000;

/**
 * What lets this server write. Who may is in the row of the store, which each turn locks: so a server that was replaced
 * finds out before it has written anything, however long it was away. That several servers share a store needs no more.
 * One that has it alone also holds a lock, by which the next one learns at once that it has ended.
 */
export class Claim {
  /** This server, among those of the store. */
  readonly server: string = crypto.randomUUID();
  readonly edition: string;
  readonly #place: StorePlace;
  readonly #isShared: boolean;

  constructor(place: StorePlace, edition: string, servers: Servers) {
    this.#place = place;
    this.edition = edition;
    this.#isShared = servers === "shared";
  }

  /** Whether other servers may write, too. */
  get isShared(): boolean {
    return this.#isShared;
  }

  /** @throws StoreInUse when another server has the store, PostgresStoreError when servers of another edition have */
  async take(session: Session): Promise<void> {
    await this.#checkEditions(session);
    const holder = await this.#takeLock(session, PREDECESSOR_MILLISECONDS);
    if (holder !== undefined) {
      const [rows] = await session.run([READ_STATE]);
      throw new StoreInUse(this.#place, holder, storeRow(rows!).storeId);
    }
    await session.run([{ sql: "BEGIN" }, LOCK_STATE]);
    // One that started at the same time was before.
    await this.#checkEditions(session);
    const { server, edition } = this;
    const own = [DELETE_FORGOTTEN, writeSeen(server, edition), writeOwner(this.#owner)];
    await session.run([...own, { sql: "COMMIT" }]);
  }

  /** Goes on with another connection. @throws SessionLost when that is too early, StoreBroken */
  async keep(session: Session): Promise<void> {
    const [rows] = await session.run([READ_STATE]);
    this.check(storeRow(rows!));
    const holder = await this.#takeLock(session, 0);
    // What held the lost connection may not be over yet.
    if (holder !== undefined) throw new SessionLost(`${holder} holds the lock`);
  }

  /** @throws StoreBroken when the row of the store names others */
  check({ edition, server }: Owner): void {
    if (edition !== this.edition) {
      throw new StoreBroken(`a server of edition ${edition} has taken over the store`);
    }
    if (server !== this.#owner.server) throw new StoreBroken("another server has taken over the store");
  }

  get #owner(): Owner {
    return { edition: this.edition, server: this.#isShared ? "" : this.server };
  }

  async #checkEditions(session: Session): Promise<void> {
    const [rows] = await session.run([readOthers(this.server)]);
    const other = seenServers(rows!).find(({ edition }) => edition !== this.edition);
    if (other === undefined) return;
    throw new PostgresStoreError(
      this.#place,
      `it is in use by a server of edition ${other.edition} (seen ${other.seconds} s ago), and this is one of edition ${this.edition}`,
    );
  }

  async #takeLock(session: Session, patienceMilliseconds: number): Promise<string | undefined> {
    if (this.#isShared) return undefined;
    return await takeServerLock(session, this.#place.schema, patienceMilliseconds);
  }
}
