import { AnnouncedTurns } from "../arrivals/announced_turns.ts";
import { Arrivals } from "../arrivals/arrivals.ts";
import { CountedTurns } from "../counted_turns.ts";
import type { OpenedStore, Store, StoreReads, StoreTurns } from "../store.ts";
import { TurnCounts } from "../turn_counts.ts";
import type { StoreUsage } from "../usage.ts";
import { databaseFault, holdsStore, storeFault } from "./connection/check_database.ts";
import { createStore, reasonOf } from "./connection/create_store.ts";
import { openSession } from "./connection/open_session.ts";
import { PostgresStoreError, type StorePlace } from "./connection/place.ts";
import { takeServerLock } from "./connection/server_lock.ts";
import type { Session } from "./protocol/session.ts";
import { ReadSessions } from "./reading/read_sessions.ts";
import { READ_STATE, storeRow, takeOver } from "./tables/state.ts";
import { Turns } from "./writing/turns.ts";
import { WriterSession } from "./writing/writer_session.ts";

/** How long a server waits for the end of one that had the store before it. */
const PREDECESSOR_MILLISECONDS = 5000;

/** A store in a schema of a PostgreSQL database. Turns have one connection, reads have others. */
export class PostgresStore implements Store {
  readonly opened: OpenedStore;
  readonly turns: StoreTurns;
  readonly reads: StoreReads;
  readonly arrivals: Arrivals;
  readonly counts: TurnCounts = new TurnCounts();
  onBroken: (reason: string) => void = () => {};
  /** There are no files that could be lost. */
  onLost: (reason: string) => void = () => {};
  /** PostgreSQL does that by itself. */
  onCheckpointFailed: (reason: string) => void = () => {};
  readonly #turns: Turns;
  readonly #readSessions: ReadSessions;

  private constructor(opened: OpenedStore, writer: WriterSession, reads: ReadSessions) {
    this.opened = opened;
    this.arrivals = new Arrivals(opened);
    let isBroken = false;
    const onBroken = (reason: string): void => {
      if (!isBroken) this.onBroken(reason);
      isBroken = true;
    };
    this.#turns = new Turns(writer, opened, onBroken, (storeId) => this.arrivals.reset(storeId));
    this.turns = new AnnouncedTurns(new CountedTurns(this.#turns, this.counts), this.arrivals);
    this.reads = this.#readSessions = reads;
  }

  /**
   * Opens a store as the only server that may write, creating it if there is none.
   * @throws PostgresStoreError with one line that says what is wrong
   */
  static async open(place: StorePlace, options: { readonly readersMax: number }): Promise<PostgresStore> {
    let session: Session | undefined;
    try {
      session = await openSession(place, "writing");
      const opened = await openStore(place, session);
      const server = crypto.randomUUID();
      await session.run([takeOver(server)]);
      const writer = new WriterSession(place, server, session);
      return new PostgresStore(opened, writer, new ReadSessions(place, options.readersMax));
    } catch (error) {
      await session?.close();
      if (error instanceof PostgresStoreError) throw error;
      throw new PostgresStoreError(place, `it cannot be opened: ${reasonOf(error)}`);
    }
  }

  get storeId(): string {
    return this.arrivals.state.storeId;
  }

  /** Its disk is that of PostgreSQL. */
  usage(): Promise<StoreUsage> {
    return Promise.resolve({});
  }

  async close(): Promise<void> {
    await this.#readSessions.close();
    await this.#turns.close();
  }
}

async function openStore(place: StorePlace, session: Session): Promise<OpenedStore> {
  const fault = await databaseFault(session);
  if (fault !== undefined) throw new PostgresStoreError(place, fault);
  const created = !await holdsStore(session, place.schema);
  if (created) await createStore(session, place.schema);
  const storeProblem = await storeFault(session, place.schema);
  if (storeProblem !== undefined) throw new PostgresStoreError(place, storeProblem);
  const holder = await takeServerLock(session, place.schema, PREDECESSOR_MILLISECONDS);
  if (holder !== undefined) throw new PostgresStoreError(place, `it is in use by ${holder}`);
  const [rows] = await session.run([READ_STATE]);
  const { storeId, head, pausedSinceMicros } = storeRow(rows!);
  return { storeId, head, created, pausedSinceMicros };
}
