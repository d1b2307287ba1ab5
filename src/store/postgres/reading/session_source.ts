import type { PostgresAddress } from "../../../config/postgres_url.ts";
import { openReplica } from "../connection/open_session.ts";
import type { Session } from "../protocol/session.ts";
import type { Primary } from "../cluster/primary.ts";
import { READ_STATE, type StoreRow, storeRow } from "../tables/state.ts";

/** Opens sessions for reads, and checks what they show. */
export interface SessionSource {
  /** @throws DatabaseError, SessionLost */
  open(): Promise<Session>;
  /** True when an idle session may still be used. */
  isGood(session: Session): boolean;
  /** The number of the last write transaction that a read must see if it begins now. */
  expected(): number;
  /** Returns why a read must not use this snapshot. If it may, records the state as seen and returns undefined. */
  faultOf(session: Session, row: StoreRow, expected: number): string | undefined;
}

/** Sessions with the primary. They show at least all write transactions that this server knows to be committed. */
export function primarySource(primary: Primary): SessionSource {
  return {
    open: () => primary.open("reading"),
    isGood: (session) => primary.isCurrent(session),
    expected: () => primary.seen.last?.turn.number ?? 0,
    faultOf(session, row, expected) {
      if (!primary.isCurrent(session)) return "it was the primary before a failover";
      if (row.turn.number < expected) return "it lacks turns that were committed";
      if (row.timeline !== primary.seen.timeline) return "it is not the primary on which this server works";
      primary.saw(session, row);
      return undefined;
    },
  };
}

/** Sessions with replicas. They may lag, but they follow the primary on which this server works. */
export function replicaSource(address: PostgresAddress, schema: string, primary: Primary): SessionSource {
  const faultOf = ({ timeline }: StoreRow): string | undefined =>
    timeline === primary.seen.timeline ? undefined : "does not follow the primary on which this server works";
  return {
    open: () =>
      openReplica(address, schema, async (session) => {
        const [rows] = await session.run([READ_STATE]);
        return faultOf(storeRow(rows!));
      }),
    isGood: () => true,
    expected: () => 0,
    faultOf(_, row) {
      if (!primary.mayReadReplicas) return "the primary is not heard of, and may have been replaced";
      const fault = faultOf(row);
      if (fault === undefined) primary.seen.saw(row);
      return fault;
    },
  };
}
