import type { FailoverName } from "../../../config/setting.ts";
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
import { addTurn, readTurn, type TransactionPresence } from "../tables/turns.ts";
import { CONFIRMATION } from "../time_limits.ts";
import { foundOn, isOn, namedTimeline, type Verdict, verdictOf } from "./failover.ts";
import { presenceIn, type SeenHistory } from "./seen_history.ts";

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

/** How a server takes part in a store. */
export interface Participant {
  /** The name of the server, unique in the store. */
  readonly server: string;
  readonly edition: string;
  /** True when other servers may write, too. */
  readonly isShared: boolean;
  readonly failover: FailoverName;
}

/**
 * Decides about a store that may have lost a part of its history, together with the other servers. One check lasts
 * until the history is whole.
 */
export class HistoryCheck {
  readonly #own: Participant;
  readonly #seen: SeenHistory;
  /** How long this server has waited for others, on which timeline, and when it last checked. */
  #waiting:
    | { readonly timeline: string; readonly askedAt: number; readonly milliseconds: number }
    | undefined;

  constructor(own: Participant, seen: SeenHistory) {
    this.#own = own;
    this.#seen = seen;
  }

  /**
   * Decides while a lock excludes other servers.
   * @returns the resulting state of the store, and why it got a new ID, if it did
   * @throws SessionLost while this server waits for others
   */
  async settle(session: Session, timeline: string): Promise<{ row: StoreRow; renewal?: string }> {
    const { server, edition, isShared, failover } = this.#own;
    // The answer refers to the state seen up to now, whatever is seen meanwhile.
    const { last } = this.#seen;
    const asked = [
      ...DURABLY,
      LOCK_STORE,
      READ_STATE,
      readTurn(last?.turn.number ?? 0),
      readRegistered(server),
    ];
    try {
      const [rows, turnRows, serverRows] = (await session.run(asked)).slice(DURABLY.length + 1);
      const row = storeRow(rows!);
      const servers = seenServers(serverRows!);
      const seen = presenceIn(row, last, turnRows!);
      const without = (holds: (timeline: string) => boolean): number =>
        countWithout(server, this.#seen.others, servers, holds);
      // Standby servers have seen nothing and show nothing, so no server waits for them.
      const awaited = isShared
        ? without((found) => found === timeline)
        : Number(!["", server].includes(row.server));
      const absent = isShared ? without((found) => found === timeline || isOn(found, timeline)) : 0;
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
      const [statements, after] = carryOut(verdict, row, timeline, this.#seen.last);
      await session.run([...own, ...statements, { sql: "COMMIT" }]);
      if (verdict === "wait") throw new SessionLost(`after a failover, ${waitedFor(awaited)}`);
      return verdict === "renew" ? { row: after, renewal: renewalReason(row, after, seen) } : { row: after };
    } catch (error) {
      await session.rollback();
      throw error;
    }
  }

  #isGraceOver(timeline: string): boolean {
    const askedAt = performance.now();
    const before = this.#waiting?.timeline === timeline ? this.#waiting : { askedAt, milliseconds: 0 };
    const milliseconds = before.milliseconds + Math.min(askedAt - before.askedAt, GRACE_STEP_MILLISECONDS);
    this.#waiting = { timeline, askedAt, milliseconds };
    return milliseconds > CONFIRMATION;
  }
}

/** Counts the other servers that may have seen more than `server`, and have recorded no timeline that `holds` accepts. */
function countWithout(
  server: string,
  others: ReadonlySet<string>,
  servers: readonly SeenServer[],
  holds: (timeline: string) => boolean,
): number {
  const recent = servers.filter(({ name, isRecent }) => isRecent && name !== server);
  const done = new Set(servers.filter(({ timeline }) => holds(timeline)).map(({ name }) => name));
  return new Set([...others, ...recent.map(({ name }) => name)]).difference(done).size;
}

/** Returns the statements that a verdict needs, and the state of the store after them. */
function carryOut(
  verdict: Verdict,
  row: StoreRow,
  timeline: string,
  seen: CountedState | undefined,
): [Statement[], StoreRow] {
  if (verdict === "wait") return [[], row];
  const isRecorded = isOn(row.timeline, timeline);
  const recorded = isRecorded ? row.timeline! : namedTimeline(timeline);
  const statements = isRecorded ? [] : [writeTimeline(recorded)];
  if (verdict === "whole") return [statements, { ...row, timeline: recorded }];
  const last = Math.max(row.turn.number, seen?.turn.number ?? 0);
  const turn = { number: last + RENEWAL_GAP, name: crypto.randomUUID() };
  const after = { ...row, storeId: crypto.randomUUID(), turn, timeline: recorded };
  return [[...statements, writeStoreId(after.storeId), addTurn(row.head, turn)], after];
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
