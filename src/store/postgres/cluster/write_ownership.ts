import { delay } from "../../../async/delay.ts";
import type { FailoverName } from "../../../config/setting.ts";
import { type PostgresLocation, PostgresStoreError } from "../connection/address.ts";
import { databaseFault } from "../connection/check_database.ts";
import { SessionLost } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { DELETE_FORGOTTEN, readOthers, register, seenServers } from "../tables/servers.ts";
import {
  LOCK_STORE,
  MOVED,
  type Owner,
  READ_STATE,
  type StoreRow,
  storeRow,
  writeOwner,
} from "../tables/state.ts";
import { MasterKeys } from "../../core/sealing/master_keys.ts";
import { LACKS_SUBJECTS } from "../../core/sealing/lacks_subjects.ts";
import { SEALING_VERSION } from "../tables/schema.ts";
import { READ_WRAPPINGS, wrappingsIn } from "../tables/subjects.ts";
import { STANDBY_POLL } from "../time_limits.ts";
import { type ActiveServer, readActive } from "./active_server.ts";
import { Primary } from "./primary.ts";

/** The servers that may write to a store at a time: all servers of an edition, or only one. */
export type Servers = "shared" | "exclusive";

/** This server must not write to the store any more. */
export class MustNotWrite extends Error {
  override readonly name = "MustNotWrite";
}

/** Another server has the store exclusively. */
export class StoreInUse extends PostgresStoreError {
  readonly storeId: string;

  constructor(location: PostgresLocation, { text }: ActiveServer, storeId: string) {
    super(location, `it is in use by ${text}`);
    this.storeId = storeId;
  }
}

/** How long a server waits at its start until its predecessor has ended. */
const PREDECESSOR_MILLISECONDS = 5000;

/** How often a server asks whether the others have confirmed the history. */
const CONFIRMED_POLL_MILLISECONDS = 250;

/** How this server takes part in a store. */
export interface WriteOwnershipOptions {
  readonly edition: string;
  readonly servers: Servers;
  /** Default `verify`. */
  readonly failover?: FailoverName;
  /** The names of identifiers that stand for a person. None by default. */
  readonly subjects?: readonly string[];
  /** Those that wrap the keys of subjects, in Base64; the first one wraps. None by default. */
  readonly masterKeys?: readonly string[];
}

/**
 * Lets this server write. The row of the store names the servers that may write, and each write transaction locks
 * that row. So a server that was replaced notices this before it writes, however long it was away. Servers that
 * share a store need nothing else. A server with exclusive ownership also registers its session, so the next one
 * notices its end at once.
 */
export class WriteOwnership {
  /** The name of this server, unique in the store. */
  readonly server: string = crypto.randomUUID();
  readonly edition: string;
  /** True when other servers may write, too. */
  readonly isShared: boolean;
  readonly primary: Primary;
  /** For the keys of subjects; undefined for a store without subjects. */
  readonly masters: MasterKeys | undefined;
  readonly #location: PostgresLocation;

  constructor(
    location: PostgresLocation,
    { edition, servers, failover = "verify", subjects = [], masterKeys }: WriteOwnershipOptions,
  ) {
    this.#location = location;
    this.masters = subjects.length > 0 ? new MasterKeys(masterKeys) : undefined;
    this.edition = edition;
    this.isShared = servers === "shared";
    const { server, isShared } = this;
    this.primary = new Primary(location, { server, edition, isShared, failover });
  }

  /**
   * Takes ownership of the store, on the first session of this server.
   * @returns the state of the store
   * @throws StoreInUse when another server has the store, PostgresStoreError when servers of another edition have it,
   *   or when a master key is missing
   */
  async take(session: Session): Promise<StoreRow> {
    await this.#checkUse(session);
    const endAt = performance.now() + PREDECESSOR_MILLISECONDS;
    while (!this.isShared && await readActive(session) !== undefined && performance.now() < endAt) {
      await delay(STANDBY_POLL);
    }
    for (;;) {
      await this.#rejectSecondActive(session);
      try {
        await this.primary.check(session);
        break;
      } catch (error) {
        if (!(error instanceof SessionLost) || !session.isOpen) throw error;
        await delay(CONFIRMED_POLL_MILLISECONDS);
      }
    }
    await session.run([{ sql: "BEGIN" }, LOCK_STORE]);
    // Another server that started at the same time may have been faster.
    await this.#checkUse(session);
    await this.#rejectSecondActive(session);
    const owner = { edition: this.edition, server: this.isShared ? "" : this.server };
    // `READ_STATE` returns the pause of the owner's edition, so it follows the change of the owner.
    const own = [writeOwner(owner), READ_STATE, DELETE_FORGOTTEN, ...this.#registration, { sql: "COMMIT" }];
    const [, rows] = await session.run(own);
    return storeRow(rows!);
  }

  /** Opens another session on which this server may write. @throws SessionLost, DatabaseError, MustNotWrite */
  async open(): Promise<Session> {
    const session = await this.primary.open("writing");
    return await session.orClose(async () => {
      const fault = await databaseFault(session);
      if (fault !== undefined) throw new SessionLost(fault);
      const [, , rows] = await session.run([{ sql: "BEGIN" }, LOCK_STORE, READ_STATE]);
      this.check(storeRow(rows!));
      await session.run([...this.#registration, { sql: "COMMIT" }]);
      return session;
    });
  }

  /**
   * @throws MustNotWrite when the row of the store names another edition or another server, or when servers with
   *   subjects have begun to encrypt payloads
   */
  check({ edition, server, schemaVersion }: Owner & Pick<StoreRow, "schemaVersion">): void {
    if (schemaVersion === SEALING_VERSION && this.masters === undefined) {
      throw new MustNotWrite(LACKS_SUBJECTS);
    }
    if (edition !== this.edition) {
      throw new MustNotWrite(`a server of edition ${edition} has taken over the store`);
    }
    if (server !== (this.isShared ? "" : this.server)) {
      throw new MustNotWrite("another server has taken over the store");
    }
  }

  get #registration(): ReturnType<typeof register> {
    return register(this.server, this.edition, this.primary.seen.timeline);
  }

  async #checkUse(session: Session): Promise<void> {
    const [rows, state] = await session.run([readOthers(this.server), READ_STATE]);
    const row = storeRow(state!);
    // It may have changed since it was opened.
    const fault = row.schemaVersion === SEALING_VERSION ? await this.#keysFault(session) : undefined;
    if (fault !== undefined) throw new PostgresStoreError(this.#location, fault);
    if (row.edition === MOVED) {
      const { schema } = this.#location;
      throw new PostgresStoreError(
        this.#location,
        `it has moved: it was exported with --move; if the export is not in use, UPDATE ${schema}.store SET edition = ''`,
      );
    }
    const other = seenServers(rows!).find(({ edition }) => edition !== this.edition);
    if (other === undefined) return;
    throw new PostgresStoreError(
      this.#location,
      `it is in use by a server of edition ${other.edition} (seen ${other.seconds} s ago), and this is one of edition ${this.edition}`,
    );
  }

  /** Returns why this server cannot use a store with subjects. */
  async #keysFault(session: Session): Promise<string | undefined> {
    if (this.masters === undefined) return LACKS_SUBJECTS;
    const [rows] = await session.run([READ_WRAPPINGS]);
    return this.masters.lacking(wrappingsIn(rows!));
  }

  /** @throws StoreInUse */
  async #rejectSecondActive(session: Session): Promise<void> {
    const active = this.isShared ? undefined : await readActive(session);
    if (active === undefined) return;
    const [rows] = await session.run([READ_STATE]);
    throw new StoreInUse(this.#location, active, storeRow(rows!).storeId);
  }
}
