import { within } from "../../../time/within.ts";
import { delay } from "../../../time/delay.ts";
import type { CommittedEvent } from "../../feed/commit_feed.ts";
import type { PostgresLocation } from "../connection/address.ts";
import { DatabaseError } from "../protocol/errors.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { readRemoteCommits, remoteCommitsIn } from "../tables/remote_commits.ts";
import { deleteServer, HEARTBEAT_SECONDS, readOthers, seenServers, writeSeen } from "../tables/servers.ts";
import { type CountedState, READ_STATE, storeRow } from "../tables/state.ts";
import { deleteTurns, forgottenIn, READ_FORGOTTEN } from "../tables/turns.ts";
import { StoreBroken, type WriteOwnership } from "./write_ownership.ts";
import { listenTo, notify } from "./notifications.ts";

/** How often it is looked for what others have written while somebody waits for that: notices may be lost. */
const LOOK_MILLISECONDS = 500;

/** How often it looks at least. By that it finds out soon that the primary is cut off, and confirms the history on the next. */
const LOOK_MILLISECONDS_MAX = 1000;

/** A look is short and takes no lock. One without an answer for so long means that PostgreSQL is cut off. */
const LOOK_SILENCE_MILLISECONDS = 3000;

/**
 * How long it rests between two of its acts. A server that has a turn every millisecond lets the others know of many at
 * once: for each one alone, all servers together would do as much for the notices as for the turns.
 */
const REST_MILLISECONDS = 10;

/** Old turns are removed after so many new ones. */
const CLEANED_TURNS = 1000;

/** How long the end of a server may wait for the word that it has ended. */
const CLOSE_MILLISECONDS = 1000;

export interface PeerMonitorOptions {
  /** Whether somebody waits for events, and behind which. */
  readonly isAwaited: () => boolean;
  readonly head: () => number;
  /** Called with the store as others have left it, and events after `head`, as far as they were read. */
  readonly onState: (state: CountedState, firstSequence: number, events: readonly CommittedEvent[]) => void;
  readonly onBroken: (reason: string) => void;
}

/**
 * Keeps this server and the others informed of each other, on a connection of its own, beside the turns: that it is
 * there, that it has written, and what others have written. A lost notice only delays what it tells. Two things rest on
 * the looks themselves: replicas are read only while the primary was heard of (`Primary.mayReadReplicas`), and after a
 * failover this server waits for the others that it last saw (`Primary.others`).
 */
export class PeerMonitor {
  readonly #place: PostgresLocation;
  readonly #ownership: WriteOwnership;
  readonly #options: PeerMonitorOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #session: Session | undefined;
  #beatAt = 0;
  #hasOthers = true;
  /** Up to this number, turns were removed. */
  #deletedUpTo = -1;
  /** The last turn when it was looked for turns to remove. */
  #cleanedAt = -Infinity;
  /** What is to be done next. */
  #shallLook = false;
  #shallNotify = true;
  /** When it looks even if nobody waits for events: the next turn tells the same. */
  #lookAt = 0;
  /** When it looks in any case. */
  #lookDueAt = 0;
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(place: PostgresLocation, ownership: WriteOwnership, options: PeerMonitorOptions) {
    this.#place = place;
    this.#ownership = ownership;
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), LOOK_MILLISECONDS);
    this.#work();
  }

  /** Lets the others know that this server has written. It costs nothing as long as there are none. */
  written(): void {
    this.#shallNotify = this.#hasOthers;
    if (this.#shallNotify) this.#work();
  }

  /** Looks at the store soon: it may have a new ID. */
  lookSoon(): void {
    this.#shallNotify = this.#hasOthers;
    this.#lookAt = 0;
    this.#shallLook = true;
    this.#work();
  }

  /** Somebody waits for events from now on. Of some of them there may have been notices before. */
  awaited(): void {
    if (this.#shallLook) this.#work();
  }

  /** Says that this server has ended. */
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
    // If it fails, this server is seen for a while longer.
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

  /** Does what is to be done, one after the other: what comes up meanwhile is done once, however often it came up. */
  #work(): void {
    if (this.#isClosed) return;
    this.#working ??= this.#workOff().catch((error) => {
      if (error instanceof StoreBroken) this.#options.onBroken(error.message);
      // Otherwise the next time may be better.
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
    this.#beatAt = performance.now() + 1000 * HEARTBEAT_SECONDS;
    const { server, edition } = this.#ownership;
    await session.run([writeSeen(server, edition)]);
    this.#shallLook = true;
    await this.#deleteTurns(session);
  }

  /** Removes turns that no server looks for any more. */
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
    this.#lookAt = performance.now() + LOOK_MILLISECONDS;
    this.#lookDueAt = performance.now() + LOOK_MILLISECONDS_MAX;
    const { server, primary } = this.#ownership;
    const after = this.#options.head();
    const asked: Statement[] = [READ_STATE, readOthers(server)];
    if (this.#options.isAwaited()) asked.push(readRemoteCommits(after));
    const [rows, otherRows, newRows = []] = await session.run(asked, LOOK_SILENCE_MILLISECONDS);
    const row = storeRow(rows!);
    this.#ownership.check(row);
    primary.saw(session, row);
    primary.others = new Set(seenServers(otherRows!).map(({ name }) => name));
    this.#hasOthers = primary.others.size > 0;
    // What was written between the two is not yet part of the state.
    const events = remoteCommitsIn(newRows.slice(0, Math.max(0, row.head - after)));
    this.#options.onState(row, after + 1, events);
  }

  /** Opens a session anew when the last one was lost: soon, so that the history is confirmed after a failover. */
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
      // Where there are no notices, it is looked often enough.
      if (!(error instanceof DatabaseError)) throw error;
    }
    // What was told while nobody listened is lost.
    this.#shallLook = true;
    return session;
  }

  #noticed(server: string): void {
    if (server === this.#ownership.server) return;
    // Any role that can connect can send a notice. The table says which servers there are.
    if (!this.#ownership.primary.others.has(server)) this.#lookAt = 0;
    this.#shallLook = true;
    this.#work();
  }
}
