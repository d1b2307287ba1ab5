import type { FailoverName } from "../../../config/setting.ts";
import { openPrimary, type Purpose } from "../connection/open_session.ts";
import type { PostgresLocation } from "../connection/address.ts";
import type { Row } from "../protocol/cells.ts";
import { SessionLost } from "../protocol/errors.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { confirmTimeline, readRegistered, type SeenServer, seenServers } from "../tables/servers.ts";
import {
  type CountedState,
  LOCK_STORE,
  READ_STATE,
  type StoreRow,
  storeRow,
  writeStoreId,
  writeTimeline,
} from "../tables/state.ts";
import { addTurn, presenceOf, readTurn, type TransactionPresence } from "../tables/turns.ts";
import { foundOn, isOlder, isOn, namedTimeline, timelineText, type Verdict, verdictOf } from "./failover.ts";
import { CONFIRMATION, REPLICA_LEASE } from "../time_limits.ts";
import { SeenHistory } from "./seen_history.ts";

/**
 * At most this much counts between two checks of this server: PostgreSQL may have been unreachable for the others,
 * too.
 */
const GRACE_STEP_MILLISECONDS = 1000;

/**
 * No server has seen a write transaction beyond this gap, so a renewed history is later than all lost transactions.
 */
const RENEWAL_GAP = 2 ** 32;

/** Some sessions do not wait for their COMMIT, so the transaction asks for it. */
const DURABLY: readonly Statement[] = [{ sql: "BEGIN" }, { sql: "SET LOCAL synchronous_commit = on" }];

export interface PrimaryOptions {
  /** The name of this server. */
  readonly server: string;
  readonly edition: string;
  /** True when other servers may write, too. */
  readonly isShared: boolean;
  readonly failover: FailoverName;
}

/** Opens sessions with the primary of a store, and checks that its history is the one that servers have seen. */
export class Primary {
  readonly seen: SeenHistory = new SeenHistory();
  /** The other servers that may write, as of the last check. */
  others: Set<string> = new Set();
  /** Called with the reason when the store gets a new ID. */
  onRenewed: (reason: string) => void = () => {};
  /** The time of the last contact with the primary. */
  #contactAt = -Infinity;
  /** True while the history is not known to be whole. */
  #isInDoubt = false;
  readonly #place: PostgresLocation;
  readonly #options: PrimaryOptions;
  /** How long this server has waited for others, on which timeline, and when it last checked. */
  #waiting:
    | { readonly timeline: string; readonly askedAt: number; readonly milliseconds: number }
    | undefined;

  constructor(place: PostgresLocation, options: PrimaryOptions) {
    this.#place = place;
    this.#options = options;
  }

  /**
   * Opens a session and checks the history on it.
   * @throws DatabaseError, SessionLost, also while this server waits for others
   */
  async open(purpose: Purpose, onNotification?: (text: string) => void): Promise<Session> {
    const session = await openPrimary(this.#place, purpose, {
      onNotification,
      faultOf: (made) => this.#faultOf(made),
    });
    try {
      await this.check(session);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** True when replicas show the current history. */
  get mayReadReplicas(): boolean {
    return !this.#isInDoubt && performance.now() - this.#contactAt < REPLICA_LEASE;
  }

  /** True when a session is connected to the PostgreSQL on which this server works. */
  isCurrent(session: Session): boolean {
    return this.seen.timeline.startsWith(`${session.timeline}/`);
  }

  /**
   * Records a state that a session has shown.
   * @param timeline the timeline that the store records, if it was read
   * @throws SessionLost when the session is no longer connected to the primary
   */
  saw(session: Session, state: CountedState & Partial<Pick<StoreRow, "timeline">>): void {
    const { timeline = this.seen.timeline } = state;
    if (!this.isCurrent(session) || timeline !== this.seen.timeline) {
      throw new SessionLost("this PostgreSQL is not the primary on which this server works");
    }
    this.seen.saw(state);
    this.#contactAt = performance.now();
  }

  /**
   * Checks that the history on a session is the one that servers have seen, or gives the store a new ID.
   * @returns the resulting state of the store
   * @throws SessionLost while this server waits for others
   */
  async check(session: Session): Promise<StoreRow> {
    for (;;) {
      const fault = this.#faultOf(session);
      if (fault !== undefined) throw new SessionLost(`this PostgreSQL ${fault}`);
      const { last } = this.seen;
      const [rows, turnRows] = await session.run([READ_STATE, askFor(last)]);
      const found = storeRow(rows!);
      const timeline = timelineText(session.timeline, found.tableOid);
      const isWhole = isOn(found.timeline, timeline) && presence(last, found, turnRows!) !== "missing";
      const row = isWhole ? found : await this.#settle(session, timeline);
      // Meanwhile, another session may have answered a write from the former primary. Then check again.
      if (row.timeline === this.seen.timeline || this.seen.last === last) return this.#work(row);
    }
  }

  /** Returns why a PostgreSQL is no longer the primary, although it acts as one. Undefined if it is the primary. */
  #faultOf(session: Session): string | undefined {
    return isOlder(session.timeline, this.seen.timeline) ? "was the primary before a failover" : undefined;
  }

  #work(row: StoreRow): StoreRow {
    if (row.timeline === this.seen.timeline) this.seen.saw(row);
    else this.seen.beginOn(row.timeline!, row);
    this.#waiting = undefined;
    this.#contactAt = performance.now();
    this.#isInDoubt = false;
    return row;
  }

  /** Decides about the history, while the lock excludes other servers. */
  async #settle(session: Session, timeline: string): Promise<StoreRow> {
    this.#isInDoubt = true;
    const { server, edition, isShared, failover } = this.#options;
    // The answer refers to the state seen up to now, whatever is seen meanwhile.
    const { last } = this.seen;
    const asked = [...DURABLY, LOCK_STORE, READ_STATE, askFor(last), readRegistered(server)];
    try {
      const [rows, turnRows, serverRows] = (await session.run(asked)).slice(DURABLY.length + 1);
      const row = storeRow(rows!);
      const servers = seenServers(serverRows!);
      const seen = presence(last, row, turnRows!);
      // Standby servers have seen nothing and show nothing, so no server waits for them.
      const awaited = isShared
        ? this.#without(servers, (found) => found === timeline)
        : Number(!["", server].includes(row.server));
      const absent = isShared
        ? this.#without(servers, (found) => found === timeline || isOn(found, timeline))
        : 0;
      // A database that lacks the registration of this server may also lack write transactions of others.
      const mayVouch = (isShared || row.server === server) &&
        servers.some(({ name, isRegistered }) => isRegistered && name === server);
      const verdict = verdictOf({
        recorded: row.timeline,
        now: timeline,
        seen: seen === "present" && !mayVouch ? undefined : seen,
        awaited,
        absent,
        setting: failover,
        isGraceOver: this.#isGraceOver(timeline),
      });
      // No server waits for the confirmation of a server that has seen nothing.
      const own = seen === undefined ? [] : [confirmTimeline(server, edition, foundOn(timeline, seen))];
      const [statements, after] = this.#carryOut(verdict, row, timeline);
      await session.run([...own, ...statements, { sql: "COMMIT" }]);
      if (verdict === "wait") throw new SessionLost(`after a failover, ${waitedFor(awaited)}`);
      if (verdict === "renew") this.onRenewed(renewalReason(row, after, seen));
      return after;
    } catch (error) {
      if (session.isOpen) await session.run([{ sql: "ROLLBACK" }]).catch(() => session.close());
      throw error;
    }
  }

  #carryOut(verdict: Verdict, row: StoreRow, timeline: string): [Statement[], StoreRow] {
    if (verdict === "wait") return [[], row];
    const isRecorded = isOn(row.timeline, timeline);
    const recorded = isRecorded ? row.timeline! : namedTimeline(timeline);
    const statements = isRecorded ? [] : [writeTimeline(recorded)];
    if (verdict === "whole") return [statements, { ...row, timeline: recorded }];
    const last = Math.max(row.turn.number, this.seen.last?.turn.number ?? 0);
    const turn = { number: last + RENEWAL_GAP, name: crypto.randomUUID() };
    const after = { ...row, storeId: crypto.randomUUID(), turn, timeline: recorded };
    return [[...statements, writeStoreId(after.storeId), addTurn(row.head, turn)], after];
  }

  /**
   * Counts the other servers that may have seen more than this one, and have recorded no timeline that `holds`
   * accepts.
   */
  #without(servers: readonly SeenServer[], holds: (timeline: string) => boolean): number {
    const recent = servers.filter(({ name, isRecent }) => isRecent && name !== this.#options.server);
    const done = new Set(servers.filter(({ timeline }) => holds(timeline)).map(({ name }) => name));
    return new Set([...this.others, ...recent.map(({ name }) => name)]).difference(done).size;
  }

  #isGraceOver(timeline: string): boolean {
    const askedAt = performance.now();
    const before = this.#waiting?.timeline === timeline ? this.#waiting : { askedAt, milliseconds: 0 };
    const milliseconds = before.milliseconds + Math.min(askedAt - before.askedAt, GRACE_STEP_MILLISECONDS);
    this.#waiting = { timeline, askedAt, milliseconds };
    return milliseconds > CONFIRMATION;
  }
}

function askFor(seen: CountedState | undefined): Statement {
  return readTurn(seen?.turn.number ?? 0);
}

/**
 * Returns the state of the last write transaction that was seen. Undefined when it belongs to another store ID and
 * this store is later: then the new ID has already shown clients that something is missing.
 */
function presence(
  seen: CountedState | undefined,
  { storeId, turn }: CountedState,
  turnRows: readonly Row[],
): TransactionPresence | undefined {
  if (seen === undefined || (seen.storeId !== storeId && turn.number >= seen.turn.number)) return undefined;
  return presenceOf(seen.turn, turnRows);
}

function waitedFor(others: number): string {
  return others === 0
    ? "it is checked whether another server knows the history"
    : `${others} of the other servers have not yet confirmed that nothing is missing`;
}

function renewalReason(
  before: CountedState,
  after: CountedState,
  seen: TransactionPresence | undefined,
): string {
  const why = seen === "missing"
    ? "this database lacks a part of the history that this server has seen"
    : "after a failover or a restore, not every server could confirm that nothing is missing";
  return `${why}: the store ${before.storeId} goes on as ${after.storeId}, from sequence ${after.head}`;
}
