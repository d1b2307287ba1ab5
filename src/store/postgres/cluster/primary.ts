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
import { SeenHistory } from "./seen_history.ts";

/**
 * How long other servers may take to confirm. Those that still run find out within some 5 s that a primary is cut off
 * (see `PeerMonitor`), and connect again every half second.
 */
const GRACE_MILLISECONDS = 10_000;

/**
 * How long replicas may be read after the primary was heard of last. A server that is cut off from it stops showing the
 * history that it knows before others may give the store a new ID.
 */
const LEASE_MILLISECONDS = 5000;

/** No more than that counts between two times that this server asks: PostgreSQL may not have been there for the others. */
const GRACE_STEP_MILLISECONDS = 1000;

/** No server has seen a turn beyond this gap, so a renewed history is later than everything that was lost. */
const RENEWAL_GAP = 2 ** 32;

/** Not every session waits for its COMMIT. */
const DURABLY: readonly Statement[] = [{ sql: "BEGIN" }, { sql: "SET LOCAL synchronous_commit = on" }];

export interface PrimaryOptions {
  /** This server, among those of the store. */
  readonly server: string;
  readonly edition: string;
  /** Whether other servers may write, too. */
  readonly isShared: boolean;
  readonly failover: FailoverName;
}

/** Opens sessions with the primary of a store, and makes sure that its history is the one that servers have seen. */
export class Primary {
  readonly seen: SeenHistory = new SeenHistory();
  /** The other servers that may write, as of the last look. */
  others: Set<string> = new Set();
  /** Called with the reason when the store got a new ID. */
  onRenewed: (reason: string) => void = () => {};
  /** When the primary was heard of last. */
  #heardAt = -Infinity;
  /** Whether the history is not known to be whole. */
  #isInDoubt = false;
  readonly #place: PostgresLocation;
  readonly #options: PrimaryOptions;
  /** How long this server has waited for others, on which timeline, and when it asked last. */
  #waiting:
    | { readonly timeline: string; readonly askedAt: number; readonly milliseconds: number }
    | undefined;

  constructor(place: PostgresLocation, options: PrimaryOptions) {
    this.#place = place;
    this.#options = options;
  }

  /**
   * Opens a session on which the history is checked.
   * @throws DatabaseError, SessionLost, also while other servers are waited for
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

  /** Whether what replicas show is of the history that is the current one. */
  get mayReadReplicas(): boolean {
    return !this.#isInDoubt && performance.now() - this.#heardAt < LEASE_MILLISECONDS;
  }

  /** Whether a session is with the PostgreSQL on which this server works. */
  isCurrent(session: Session): boolean {
    return this.seen.timeline.startsWith(`${session.timeline}/`);
  }

  /**
   * Remembers what a session has shown.
   * @param timeline as it is recorded there, if that was read
   * @throws SessionLost when it is not with the primary any more
   */
  saw(session: Session, state: CountedState & Partial<Pick<StoreRow, "timeline">>): void {
    const { timeline = this.seen.timeline } = state;
    if (!this.isCurrent(session) || timeline !== this.seen.timeline) {
      throw new SessionLost("this PostgreSQL is not the primary on which this server works");
    }
    this.seen.saw(state);
    this.#heardAt = performance.now();
  }

  /**
   * Makes sure that the history on a session is the one that servers have seen, or gives it a new ID.
   * @returns the store as it is then
   * @throws SessionLost while other servers are waited for
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
      // Meanwhile a write may have been answered on another session, with a PostgreSQL that was the primary before.
      if (row.timeline === this.seen.timeline || this.seen.last === last) return this.#work(row);
    }
  }

  /** Why a PostgreSQL is not the primary any more, although it takes itself for it. */
  #faultOf(session: Session): string | undefined {
    return isOlder(session.timeline, this.seen.timeline) ? "was the primary before a failover" : undefined;
  }

  #work(row: StoreRow): StoreRow {
    if (row.timeline === this.seen.timeline) this.seen.saw(row);
    else this.seen.beginOn(row.timeline!, row);
    this.#waiting = undefined;
    this.#heardAt = performance.now();
    this.#isInDoubt = false;
    return row;
  }

  /** Decides about the history, while the lock keeps other servers from it. */
  async #settle(session: Session, timeline: string): Promise<StoreRow> {
    this.#isInDoubt = true;
    const { server, edition, isShared, failover } = this.#options;
    // What is seen while this is asked says nothing about the answer.
    const { last } = this.seen;
    const asked = [...DURABLY, LOCK_STORE, READ_STATE, askFor(last), readRegistered(server)];
    try {
      const [rows, turnRows, serverRows] = (await session.run(asked)).slice(DURABLY.length + 1);
      const row = storeRow(rows!);
      const servers = seenServers(serverRows!);
      const seen = presence(last, row, turnRows!);
      // Of servers that stand by, none has seen or shows anything.
      const awaited = isShared
        ? this.#without(servers, (found) => found === timeline)
        : Number(!["", server].includes(row.server));
      const absent = isShared
        ? this.#without(servers, (found) => found === timeline || isOn(found, timeline))
        : 0;
      // A database that lacks the registration of this server may lack turns of others as well.
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
      // No server waits for one that has seen nothing.
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

  /** How many others may have seen more than this one, of which this does not hold that they wrote of a timeline. */
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
    return milliseconds > GRACE_MILLISECONDS;
  }
}

function askFor(seen: CountedState | undefined): Statement {
  return readTurn(seen?.turn.number ?? 0);
}

/**
 * What has become of the last turn that was seen; undefined when it was in another store, and this one is later: then
 * whatever is missing was told by the new ID.
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
