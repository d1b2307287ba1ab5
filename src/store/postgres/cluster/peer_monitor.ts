import { within } from "../../../async/within.ts";
import { delay } from "../../../async/delay.ts";
import type { CommittedEvent } from "../../feed/commit_feed.ts";
import type { PostgresLocation } from "../connection/address.ts";
import { DatabaseError } from "../protocol/errors.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { readRemoteCommits, remoteCommitsIn } from "../tables/remote_commits.ts";
import { deleteServer, readOthers, seenServers, writeSeen } from "../tables/servers.ts";
import { type CountedState, READ_STATE, storeRow } from "../tables/state.ts";
import { deleteTurns, forgottenIn, READ_FORGOTTEN } from "../tables/turns.ts";
import { AWAITED_POLL, PEER_HEARTBEAT, PEER_POLL, PEER_POLL_SILENCE } from "../time_limits.ts";
import { StoreBroken, type WriteOwnership } from "./write_ownership.ts";
import { listenTo, notify } from "./notifications.ts";

/**
 * The pause between two tasks. A server that commits every millisecond then sends one notification for many commits.
 * With one notification per commit, notifications would cost all servers together as much as the write transactions.
 */
const REST_MILLISECONDS = 10;

/** Old write transactions are removed after this many new ones. */
const CLEANED_TURNS = 1000;

/** How long `close` may take to announce that this server has ended. */
const CLOSE_MILLISECONDS = 1000;

export interface PeerMonitorOptions {
  /** True while a client waits for events. */
  readonly isAwaited: () => boolean;
  readonly head: () => number;
  /** Called with the store after commits of other servers, and with the events after `head` that were read. */
  readonly onState: (state: CountedState, firstSequence: number, events: readonly CommittedEvent[]) => void;
  readonly onBroken: (reason: string) => void;
}

/**
 * Exchanges information with the other servers on a separate connection, in parallel with the write transactions. It
 * announces that this server runs and has written, and reads the commits of the others. A lost notification only
 * delays that information. Two functions depend on the regular checks. Replicas are read only with recent contact to
 * the primary (`Primary.mayReadReplicas`). After a failover, this server waits for the others that it last saw
 * (`Primary.others`).
 */
export class PeerMonitor {
  readonly #place: PostgresLocation;
  readonly #ownership: WriteOwnership;
  readonly #options: PeerMonitorOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #session: Session | undefined;
  #beatAt = 0;
  #hasOthers = true;
  /** Write transactions up to this number were removed. */
  #deletedUpTo = -1;
  /** The last write transaction at the previous search for old ones. */
  #cleanedAt = -Infinity;
  /** The tasks to do next. */
  #shallLook = false;
  #shallNotify = true;
  /**
   * Until this time it does not check unless a client waits for events: the next write transaction reads the same.
   */
  #lookAt = 0;
  /** The time of the next check in any case. */
  #lookDueAt = 0;
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(place: PostgresLocation, ownership: WriteOwnership, options: PeerMonitorOptions) {
    this.#place = place;
    this.#ownership = ownership;
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), AWAITED_POLL);
    this.#work();
  }

  /** Notifies the other servers that this one has written. It costs nothing while there are none. */
  written(): void {
    this.#shallNotify = this.#hasOthers;
    if (this.#shallNotify) this.#work();
  }

  /** Checks the store soon: it may have a new ID. */
  lookSoon(): void {
    this.#shallNotify = this.#hasOthers;
    this.#lookAt = 0;
    this.#shallLook = true;
    this.#work();
  }

  /** Called when a client begins to wait for events. Earlier notifications may have announced some of them. */
  awaited(): void {
    if (this.#shallLook) this.#work();
  }

  /** Announces that this server has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await within(this.#deregister(), CLOSE_MILLISECONDS, () => {});
    await this.#session?.close();
  }

  async #deregister(): Promise<void> {
    // A server that ends right after its start is still connecting.
    await this.#working;
    const { server } = this.#ownership;
    // If this fails, other servers count this one as running for a while longer.
    await this.#session?.run([deleteServer(server), notify(this.#place.schema, server)]).catch(() => {});
    await this.#session?.close();
  }

  #tick(): void {
    this.#shallLook ||= this.#options.isAwaited() || performance.now() >= this.#lookDueAt;
    if (this.#shallLook || this.#isHeartbeatDue || !this.#session?.isOpen) this.#work();
  }

  get #isHeartbeatDue(): boolean {
    return performance.now() >= this.#beatAt;
  }

  /** Runs pending tasks one after the other. A task that is requested several times meanwhile runs once. */
  #work(): void {
    if (this.#isClosed) return;
    this.#working ??= this.#workOff().catch((error) => {
      if (error instanceof StoreBroken) this.#options.onBroken(error.message);
      // After other errors, the next attempt may succeed.
    }).finally(() => this.#working = undefined);
  }

  async #workOff(): Promise<void> {
    const session = await this.#open();
    while (!this.#isClosed) {
      if (this.#isHeartbeatDue) await this.#beat(session);
      else if (this.#shallNotify) await this.#notify(session);
      else if (this.#isLookDue) await this.#look(session);
      else return;
      await delay(REST_MILLISECONDS);
    }
  }

  get #isLookDue(): boolean {
    return this.#shallLook && (this.#options.isAwaited() || performance.now() >= this.#lookAt);
  }

  async #beat(session: Session): Promise<void> {
    this.#beatAt = performance.now() + PEER_HEARTBEAT;
    const { server, edition } = this.#ownership;
    await session.run([writeSeen(server, edition)]);
    this.#shallLook = true;
    await this.#deleteTurns(session);
  }

  /** Removes write transactions that no server asks for any more. */
  async #deleteTurns(session: Session): Promise<void> {
    const last = this.#ownership.primary.seen.last?.turn.number ?? 0;
    if (last - this.#cleanedAt < CLEANED_TURNS) return;
    this.#cleanedAt = last;
    const [rows] = await session.run([READ_FORGOTTEN]);
    const upTo = forgottenIn(rows!);
    if (upTo === undefined) return;
    await session.run([deleteTurns(this.#deletedUpTo, upTo)]);
    this.#deletedUpTo = upTo;
  }

  async #notify(session: Session): Promise<void> {
    this.#shallNotify = false;
    await session.run([notify(this.#place.schema, this.#ownership.server)]);
  }

  async #look(session: Session): Promise<void> {
    this.#shallLook = false;
    this.#lookAt = performance.now() + AWAITED_POLL;
    this.#lookDueAt = performance.now() + PEER_POLL;
    const { server, primary } = this.#ownership;
    const after = this.#options.head();
    const asked: Statement[] = [READ_STATE, readOthers(server)];
    if (this.#options.isAwaited()) asked.push(readRemoteCommits(after));
    const [rows, otherRows, newRows = []] = await session.run(asked, PEER_POLL_SILENCE);
    const row = storeRow(rows!);
    this.#ownership.check(row);
    primary.saw(session, row);
    primary.others = new Set(seenServers(otherRows!).map(({ name }) => name));
    this.#hasOthers = primary.others.size > 0;
    // Events committed between the two statements are not yet part of the state.
    const events = remoteCommitsIn(newRows.slice(0, Math.max(0, row.head - after)));
    this.#options.onState(row, after + 1, events);
  }

  /**
   * Opens a new session when the last one was lost. This happens soon, so that the history is confirmed after a
   * failover.
   */
  async #open(): Promise<Session> {
    const { primary } = this.#ownership;
    if (this.#session?.isOpen) {
      if (primary.isCurrent(this.#session)) return this.#session;
      await this.#session.close();
    }
    const session = await primary.open("informing", (from) => this.#noticed(from));
    this.#session = session;
    if (this.#isClosed) return session;
    try {
      await session.run([listenTo(this.#place.schema)]);
    } catch (error) {
      // Without notifications, the regular checks are frequent enough.
      if (!(error instanceof DatabaseError)) throw error;
    }
    // Notifications sent before LISTEN are lost, so check once.
    this.#shallLook = true;
    return session;
  }

  #noticed(server: string): void {
    if (server === this.#ownership.server) return;
    // Any role that can connect can send a notification. A check of the table shows whether this is a new server.
    if (!this.#ownership.primary.others.has(server)) this.#lookAt = 0;
    this.#shallLook = true;
    this.#work();
  }
}
