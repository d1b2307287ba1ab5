import type { PostgresLocation } from "../connection/address.ts";
import { openPrimary, type Purpose } from "../connection/open_session.ts";
import { SessionLost } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { type CountedState, READ_STATE, type StoreRow, storeRow } from "../tables/state.ts";
import { readTurn } from "../tables/turns.ts";
import { REPLICA_LEASE } from "../time_limits.ts";
import { isOlder, isOn, timelineText } from "./failover.ts";
import { HistoryCheck, type Participant } from "./history_check.ts";
import { presenceIn, SeenHistory } from "./seen_history.ts";

/** Opens sessions with the primary of a store, and checks that its history is the one that servers have seen. */
export class Primary {
  readonly seen: SeenHistory = new SeenHistory();
  /** Called with the reason when the store gets a new ID. */
  onRenewed: (reason: string) => void = () => {};
  /** The time of the last contact with the primary. */
  #contactAt = -Infinity;
  /** Set while the history is not known to be whole. */
  #doubt: HistoryCheck | undefined;
  readonly #location: PostgresLocation;
  readonly #own: Participant;

  /** @param own this server */
  constructor(location: PostgresLocation, own: Participant) {
    this.#location = location;
    this.#own = own;
  }

  /**
   * Opens a session and checks the history on it.
   * @throws DatabaseError, SessionLost, also while this server waits for others
   */
  async open(purpose: Purpose, onNotification?: (text: string) => void): Promise<Session> {
    const session = await openPrimary(this.#location, purpose, {
      onNotification,
      faultOf: (made) => this.#faultOf(made),
    });
    await session.orClose(() => this.check(session));
    return session;
  }

  /** True when replicas show the current history. */
  get mayReadReplicas(): boolean {
    return this.#doubt === undefined && performance.now() - this.#contactAt < REPLICA_LEASE;
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
      const [rows, turnRows] = await session.run([READ_STATE, readTurn(last?.turn.number ?? 0)]);
      const found = storeRow(rows!);
      const timeline = timelineText(session.timeline, found.tableOid);
      const isWhole = isOn(found.timeline, timeline) && presenceIn(found, last, turnRows!) !== "missing";
      const row = isWhole ? found : await this.#settle(session, timeline);
      // Meanwhile, another session may have answered a write from the former primary. Then check again.
      if (row.timeline === this.seen.timeline || this.seen.last === last) return this.#work(row);
    }
  }

  /** Returns why a PostgreSQL is no longer the primary, although it acts as one. Undefined if it is the primary. */
  #faultOf(session: Session): string | undefined {
    return isOlder(session.timeline, this.seen.timeline) ? "was the primary before a failover" : undefined;
  }

  async #settle(session: Session, timeline: string): Promise<StoreRow> {
    this.#doubt ??= new HistoryCheck(this.#own, this.seen);
    const { row, renewal } = await this.#doubt.settle(session, timeline);
    if (renewal !== undefined) this.onRenewed(renewal);
    return row;
  }

  #work(row: StoreRow): StoreRow {
    if (row.timeline === this.seen.timeline) this.seen.saw(row);
    else this.seen.beginOn(row.timeline!, row);
    this.#contactAt = performance.now();
    this.#doubt = undefined;
    return row;
  }
}
