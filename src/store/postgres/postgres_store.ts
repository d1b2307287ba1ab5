import { CommitFeed } from "../feed/commit_feed.ts";
import { ObservedWriter } from "../core/observed_writer.ts";
import { reportOnce } from "../core/report_once.ts";
import type { OpenedStore, Store, StoreNotice, StoreReads, StoreUsage, StoreWriter } from "../api/store.ts";
import { TransactionCounts } from "../core/transaction_counts.ts";
import { addSubjects } from "./connection/add_subjects.ts";
import {
  databaseFault,
  holdsStore,
  storeFault,
  type StoreUse,
  subjectsFault,
} from "./connection/check_database.ts";
import { createStore } from "./connection/create_store.ts";
import { openPrimary } from "./connection/open_session.ts";
import { type PostgresLocation, PostgresStoreError, reasonOf } from "./connection/address.ts";
import type { Session } from "./protocol/session.ts";
import { ReadSessions } from "./reading/read_sessions.ts";
import { type ReplicaReads, withReplicas } from "./reading/replica_reads.ts";
import { primarySource } from "./reading/session_source.ts";
import { WriteOwnership, type WriteOwnershipOptions } from "./cluster/write_ownership.ts";
import { PeerMonitor } from "./cluster/peer_monitor.ts";
import { KnownState } from "./cluster/known_state.ts";
import type { StoreRow } from "./tables/state.ts";
import { KeyVacuum } from "./writing/key_vacuum.ts";
import { KeyWrapping } from "./writing/key_wrapping.ts";
import { PostgresWriter } from "./writing/postgres_writer.ts";
import { TransactionRunner } from "./writing/transaction_runner.ts";
import { WriterSession } from "./writing/writer_session.ts";
import { WriterState } from "./writing/writer_state.ts";

export interface PostgresStoreOptions extends WriteOwnershipOptions {
  /** Connections for reads, opened when they are needed. */
  readonly readersMax: number;
  /** True when the server must be able to delete events, as in development. */
  readonly mayReset?: boolean;
}

/** A store in a schema of a PostgreSQL database. Write transactions share one connection, reads have others. */
export class PostgresStore implements Store {
  readonly opened: OpenedStore;
  readonly writer: StoreWriter;
  readonly reads: StoreReads;
  readonly feed: CommitFeed;
  readonly counts: TransactionCounts = new TransactionCounts();
  onNotice: (notice: StoreNotice) => void = () => {};
  readonly #ownership: WriteOwnership;
  readonly #writer: PostgresWriter;
  readonly #reads: ReadSessions | ReplicaReads;
  readonly #peerMonitor: PeerMonitor;
  readonly #keyVacuum: KeyVacuum;
  readonly #keyWrapping: KeyWrapping;

  private constructor(
    location: PostgresLocation,
    row: StoreRow,
    how: Pick<OpenedStore, "created" | "renewal">,
    ownership: WriteOwnership,
    writer: WriterSession,
    reads: ReadSessions,
    subjects: ReadonlySet<string> | undefined,
  ) {
    const { storeId, head, turn, pausedSinceMicros } = row;
    this.#ownership = ownership;
    this.opened = { storeId, head, pausedSinceMicros, ...how };
    this.feed = new CommitFeed({ storeId, head });
    const known = new KnownState(turn.number, this.feed);
    const report = reportOnce((notice) => this.onNotice(notice));
    const onBroken = (reason: string): void => report({ kind: "broken", reason });
    this.#peerMonitor = new PeerMonitor(location.schema, ownership, known, onBroken);
    const options = { onBroken, onWritten: () => this.#peerMonitor.written() };
    const transactions = new TransactionRunner(writer, ownership, new WriterState(row, known), options);
    this.#writer = new PostgresWriter(transactions, subjects, ownership.masters);
    this.#keyVacuum = new KeyVacuum(ownership.primary);
    this.#keyWrapping = new KeyWrapping(ownership, report);
    this.#writer.onKeysDeleted = () => this.#keyVacuum.deleted();
    ownership.primary.onRenewed = (reason) => {
      report({ kind: "renewed", reason });
      this.#peerMonitor.lookSoon();
    };
    this.feed.onSubscribed = () => this.#peerMonitor.awaited();
    this.writer = new ObservedWriter(this.#writer, this.counts, this.feed);
    this.counts.health.onChange = (reason) => this.onNotice({ kind: "writes", reason });
    this.reads = this.#reads = withReplicas(location, reads, {
      known: () => this.feed.state,
      primary: ownership.primary,
      hasSubjects: subjects !== undefined,
      onUnread: (reason) => report({ kind: "replicas", reason }),
    });
  }

  /**
   * Opens a store, creating it if there is none.
   * @throws PostgresStoreError with one line that says what is wrong
   */
  static async open(location: PostgresLocation, options: PostgresStoreOptions): Promise<PostgresStore> {
    let session: Session | undefined;
    try {
      session = await openPrimary(location, "writing", { isLatest: true });
      const created = await makeReady(location, session, options);
      return await PostgresStore.openOn(session, location, options, created);
    } catch (error) {
      await session?.close();
      if (error instanceof PostgresStoreError) throw error;
      throw new PostgresStoreError(location, `it cannot be opened: ${reasonOf(error)}`);
    }
  }

  /**
   * Opens an existing store, on a session for its write transactions. Throws like `open`, and the errors of a
   * session.
   */
  static async openOn(
    session: Session,
    location: PostgresLocation,
    { readersMax, ...options }: PostgresStoreOptions,
    created: boolean,
  ): Promise<PostgresStore> {
    const ownership = new WriteOwnership(location, options);
    let renewal: string | undefined;
    ownership.primary.onRenewed = (reason) => renewal = reason;
    const row = await ownership.take(session);
    const writer = new WriterSession(ownership, session);
    const subjects = options.subjects?.length ? new Set(options.subjects) : undefined;
    const reads = new ReadSessions(primarySource(ownership.primary), readersMax, ownership.masters);
    const how = { created, ...renewal === undefined ? {} : { renewal } };
    const store = new PostgresStore(location, row, how, ownership, writer, reads, subjects);
    store.#keyWrapping.start();
    return store;
  }

  get storeId(): string {
    return this.feed.state.storeId;
  }

  /** The timeline of PostgreSQL on which this store works. */
  get timeline(): string {
    return this.#ownership.primary.seen.timeline;
  }

  /** Empty, because the disk belongs to PostgreSQL. */
  usage(): Promise<StoreUsage> {
    return Promise.resolve({});
  }

  async endWriting(): Promise<void> {
    await this.#writer.close();
  }

  async close(): Promise<void> {
    await this.#reads.close();
    await this.#writer.close();
    await this.#keyVacuum.close();
    await this.#keyWrapping.close();
    await this.#peerMonitor.close();
  }
}

/**
 * Checks a database, and creates the store if there is none, and the tables of subjects if the server needs them.
 * @returns true when it has created the store
 * @throws PostgresStoreError
 */
export async function makeReady(
  location: PostgresLocation,
  session: Session,
  { mayReset = false, subjects = [] }: Pick<PostgresStoreOptions, "mayReset" | "subjects">,
): Promise<boolean> {
  const use = { mayReset, hasSubjects: subjects.length > 0 };
  const fault = await databaseFault(session);
  if (fault !== undefined) throw new PostgresStoreError(location, fault);
  const created = !await holdsStore(session, location.schema) && await createdNow(session, location.schema);
  const storeProblem = await storeFault(session, location.schema, use) ??
    (use.hasSubjects ? await sealingFault(location, session, use) : undefined);
  if (storeProblem !== undefined) throw new PostgresStoreError(location, storeProblem);
  return created;
}

/** Creates the tables of subjects if they are missing. @returns why the server cannot work with them, if it cannot */
async function sealingFault(
  location: PostgresLocation,
  session: Session,
  use: StoreUse,
): Promise<string | undefined> {
  await addSubjects(session, location);
  return await subjectsFault(session, location.schema, use);
}

/** Creates a store, unless another server does so at the same time. */
async function createdNow(session: Session, schema: string): Promise<boolean> {
  try {
    await createStore(session, schema);
    return true;
  } catch (error) {
    if (session.isOpen && await holdsStore(session, schema)) return false;
    throw error;
  }
}
