import { withTimeout } from "../../../async/with_timeout.ts";
import {
  type PostgresAddress,
  type PostgresServer,
  postgresServerText,
  type PostgresTarget,
} from "../../../config/postgres_url.ts";
import { booleanIn, textIn } from "../protocol/cells.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import { isOlder } from "../cluster/failover.ts";
import { Session, type SessionOptions } from "../protocol/session.ts";

/** After this time without an answer, the next server is tried in parallel. */
const TIMEOUT_MILLISECONDS = 1000;

type Attempt = () => Promise<Session>;

/**
 * Opens a session with the first suitable server of an address.
 * @param target the kind of server that is wanted
 * @param faultOf returns why a server of that kind is not suitable, or undefined
 * @param isLatest asks all servers, and chooses the latest of several primaries
 * @throws DatabaseError, SessionLost
 */
export async function openFirst(
  address: PostgresAddress,
  target: PostgresTarget,
  options: SessionOptions,
  faultOf: (session: Session) => Promise<string | undefined>,
  isLatest = false,
): Promise<Session> {
  const servers = [address.server, ...address.others ?? []];
  const withOne = (server: PostgresServer, wanted: PostgresTarget): Attempt => async () => {
    const session = await Session.open({ ...address, server }, options);
    return await session.orClose(async () => {
      const fault = await targetFault(session, wanted) ?? await faultOf(session);
      if (fault !== undefined) throw new SessionLost(`this PostgreSQL ${fault}`);
      return session;
    });
  };
  const targets: PostgresTarget[] = target === "prefer-standby" ? ["standby", "any"] : [target];
  const attempts = targets.flatMap((wanted) => servers.map((server) => withOne(server, wanted)));
  if (attempts.length === 1) return await attempts[0]!();
  const begun: Promise<Session>[] = [];
  try {
    const chosen = await (isLatest ? latestOf : firstOf)(attempts, begun);
    for (const each of begun) each.then((other) => other === chosen ? undefined : other.close(), () => {});
    return chosen;
  } catch (error) {
    const names = targets.flatMap(() => servers.map(postgresServerText));
    throw errorOf((error as AggregateError).errors, names);
  }
}

/**
 * Only a primary is asked for system identifier, timeline and database: a replica may be moving to another timeline.
 */
const FACTS = `SELECT pg_is_in_recovery(), current_setting('transaction_read_only')::boolean,
  CASE WHEN pg_is_in_recovery() THEN ''
    ELSE concat_ws('/', (pg_control_system()).system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
      (SELECT oid FROM pg_database WHERE datname = current_database())) END`;

/** Returns why a server is not suitable, or undefined. It also records the timeline of the session. */
async function targetFault(session: Session, target: PostgresTarget): Promise<string | undefined> {
  const [[row] = []] = await session.run([{ sql: FACTS }]);
  const [isReplica, isReadOnly] = [booleanIn(row![0]), booleanIn(row![1])];
  session.timeline = textIn(row![2]);
  if (target === "any") return undefined;
  if (target === "standby") return isReplica ? undefined : "is a primary";
  if (isReplica) return "is a replica; name the primary in postgresUrl";
  return target === "read-write" && isReadOnly ? "takes no writes" : undefined;
}

/**
 * Starts all attempts, waits for sessions that open at about the same time, and returns the one with the latest
 * timeline.
 * @param begun is filled with the attempts that were started
 */
async function latestOf(attempts: readonly Attempt[], begun: Promise<Session>[]): Promise<Session> {
  begun.push(...attempts.map((attempt) => attempt()));
  const opened: Session[] = [];
  const all = begun.map((each) => each.then((session) => void opened.push(session)));
  await Promise.any(all);
  await withTimeout(Promise.allSettled(all), TIMEOUT_MILLISECONDS, () => {});
  return opened.reduce((best, session) => isOlder(best.timeline, session.timeline) ? session : best);
}

/**
 * Starts attempts one after the other, each when the previous one has failed or is slow. The first success wins.
 * @param begun is filled with the attempts that were started
 */
async function firstOf(attempts: readonly Attempt[], begun: Promise<Session>[]): Promise<Session> {
  for (const attempt of attempts) {
    const latest = attempt();
    begun.push(latest);
    const either = Promise.race([Promise.any(begun), latest]).catch(() => undefined);
    const session = await withTimeout(either, TIMEOUT_MILLISECONDS, () => undefined);
    if (session !== undefined) return session;
  }
  return await Promise.any(begun);
}

/** Prefers an error that a server has answered: it is more useful than one about an unreachable server. */
function errorOf(errors: readonly Error[], names: readonly string[]): Error {
  const index = errors.findIndex((error) => error instanceof DatabaseError);
  if (index >= 0) {
    const { code, message } = errors[index] as DatabaseError;
    return new DatabaseError(code, `${names[index]}: ${message}`);
  }
  return new SessionLost(errors.map(({ message }, i) => `${names[i]}: ${message}`).join("; "));
}
