import { withTimeout } from "../../../async/with_timeout.ts";
import { delay } from "../../../async/delay.ts";
import { DatabaseError } from "../protocol/errors.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { readRemoteCommits, remoteCommitsIn } from "../tables/remote_commits.ts";
import { deleteServer, readOthers, seenServers, writeSeen } from "../tables/servers.ts";
import { READ_STATE, storeRow } from "../tables/state.ts";
import { AWAITED_POLL, PEER_HEARTBEAT, PEER_POLL, PEER_POLL_SILENCE } from "../time_limits.ts";
import type { KnownState } from "./known_state.ts";
import { listenTo, notify } from "./notifications.ts";
import { OldTurns } from "./old_turns.ts";
import { MustNotWrite, type WriteOwnership } from "./write_ownership.ts";

/**
 * The pause between two tasks. A server that commits every millisecond then sends one notification for many commits.
 * With one notification per commit, notifications would cost all servers together as much as the write transactions.
 */
const REST_MILLISECONDS = 10;

/** How long `close` may take to announce that this server has ended. */
const CLOSE_MILLISECONDS = 1000;

/**
 * Exchanges information with the other servers on a separate connection, in parallel with the write transactions. It
 * announces that this server runs and has written, and reads the commits of the others. A lost notification only
 * delays that information. Two functions depend on the regular checks. Replicas are read only with recent contact to
 * the primary (`Primary.mayReadReplicas`). After a failover, this server waits for the others that it last saw
 * (`SeenHistory.others`).
 */
export class PeerMonitor {
  readonly #schema: string;
  readonly #ownership: WriteOwnership;
  readonly #known: KnownState;
  readonly #onBroken: (reason: string) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #oldTurns = new OldTurns();
  #session: Session | undefined;
  /** The tasks to do next. */
  #shallNotify = true;
  #shallLook = false;
  /** The time of the next heartbeat. */
  #beatAt = 0;
  /**
   * Until this time it does not check unless a client waits for events: the next write transaction reads the same.
   */
  #lookAt = 0;
  /** The time of the next check in any case. */
  #lookDueAt = 0;
  #hasLooked = false;
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    schema: string,
    ownership: WriteOwnership,
    known: KnownState,
    onBroken: (reason: string) => void,
  ) {
    this.#schema = schema;
    this.#ownership = ownership;
    this.#known = known;
    this.#onBroken = onBroken;
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
    await withTimeout(this.#deregister(), CLOSE_MILLISECONDS, () => {});
    await this.#session?.close();
  }

  async #deregister(): Promise<void> {
    // A server that ends right after its start is still connecting.
    await this.#working;
    const { server } = this.#ownership;
    // If this fails, other servers count this one as running for a while longer.
    await this.#session?.run([deleteServer(server), notify(this.#schema, server)]).catch(() => {});
    await this.#session?.close();
  }

  #tick(): void {
    this.#shallLook ||= this.#known.isAwaited;
    this.#work();
  }

  /** Runs pending tasks one after the other. A task that is requested several times meanwhile runs once. */
  #work(): void {
    if (this.#isClosed) return;
    this.#working ??= this.#workOff().catch((error) => {
      if (error instanceof MustNotWrite) this.#onBroken(error.message);
      // After other errors, the next attempt may succeed.
    }).finally(() => this.#working = undefined);
  }

  async #workOff(): Promise<void> {
    const session = await this.#open();
    while (!this.#isClosed) {
      if (performance.now() >= this.#beatAt) await this.#beat(session);
      else if (this.#shallNotify) await this.#notify(session);
      else if (this.#isLookDue) await this.#look(session);
      else return;
      await delay(REST_MILLISECONDS);
    }
  }

  get #isLookDue(): boolean {
    const now = performance.now();
    return now >= this.#lookDueAt || (this.#shallLook && (this.#known.isAwaited || now >= this.#lookAt));
  }

  /** Until the first check has ended, there may be others. */
  get #hasOthers(): boolean {
    return !this.#hasLooked || this.#ownership.primary.seen.others.size > 0;
  }

  async #beat(session: Session): Promise<void> {
    this.#beatAt = performance.now() + PEER_HEARTBEAT;
    const { server, edition, primary } = this.#ownership;
    await session.run([writeSeen(server, edition)]);
    this.#shallLook = true;
    await this.#oldTurns.delete(session, primary.seen.last?.turn.number ?? 0);
  }

  async #notify(session: Session): Promise<void> {
    this.#shallNotify = false;
    await session.run([notify(this.#schema, this.#ownership.server)]);
  }

  async #look(session: Session): Promise<void> {
    this.#shallLook = false;
    this.#lookAt = performance.now() + AWAITED_POLL;
    this.#lookDueAt = performance.now() + PEER_POLL;
    const { server, primary } = this.#ownership;
    const after = this.#known.head;
    const asked: Statement[] = [READ_STATE, readOthers(server)];
    if (this.#known.isAwaited) asked.push(readRemoteCommits(after));
    const [rows, otherRows, newRows = []] = await session.run(asked, PEER_POLL_SILENCE);
    const row = storeRow(rows!);
    this.#ownership.check(row);
    primary.saw(session, row);
    primary.seen.others = new Set(seenServers(otherRows!).map(({ name }) => name));
    this.#hasLooked = true;
    // Events committed between the two statements are not yet part of the state.
    const events = remoteCommitsIn(newRows.slice(0, Math.max(0, row.head - after)));
    this.#known.update(row, after + 1, events);
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
      await session.run([listenTo(this.#schema)]);
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
    if (!this.#ownership.primary.seen.others.has(server)) this.#lookAt = 0;
    this.#shallLook = true;
    this.#work();
  }
}
