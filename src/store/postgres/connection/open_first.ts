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
export function openFirst(
  address: PostgresAddress,
  target: PostgresTarget,
  options: SessionOptions,
  faultOf: (session: Session) => Promise<string | undefined>,
  isLatest = false,
): Promise<Session> {
  const servers = [address.server, ...address.others ?? []];
  const withOne = (server: PostgresServer, wanted: PostgresTarget): Attempt => async () => {
    const session = await Session.open({ ...address, server }, options);
    try {
      const fault = await targetFault(session, wanted) ?? await faultOf(session);
      if (fault !== undefined) throw new SessionLost(`this PostgreSQL ${fault}`);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  };
  const targets: PostgresTarget[] = target === "prefer-standby" ? ["standby", "any"] : [target];
  const attempts = targets.flatMap((wanted) => servers.map((server) => withOne(server, wanted)));
  if (attempts.length === 1) return attempts[0]!();
  const names = targets.flatMap(() => servers.map(postgresServerText));
  return (isLatest ? latestOf : firstOf)(attempts, names);
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
 * Starts all attempts. Of the sessions that open at about the same time, it returns the one with the latest
 * timeline.
 */
async function latestOf(attempts: readonly Attempt[], names: readonly string[]): Promise<Session> {
  const opened: Session[] = [];
  const errors: Error[] = [];
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const all = attempts.map(async (attempt, place) => {
    try {
      const session = await attempt();
      if (isOver) return await session.close();
      opened.push(session);
      timer ??= setTimeout(resolve, TIMEOUT_MILLISECONDS);
    } catch (error) {
      errors[place] = error as Error;
    }
  });
  await Promise.race([Promise.all(all), isLate]);
  clearTimeout(timer);
  isOver = true;
  if (opened.length === 0) throw errorOf(errors, names);
  const latest = opened.reduce((best, session) => isOlder(best.timeline, session.timeline) ? session : best);
  await Promise.all(opened.map((session) => session === latest ? undefined : session.close()));
  return latest;
}

/** Starts attempts one after the other, each when the previous one has failed or is slow. The first success wins. */
function firstOf(attempts: readonly Attempt[], names: readonly string[]): Promise<Session> {
  const { promise, resolve, reject } = Promise.withResolvers<Session>();
  const errors: Error[] = [];
  let begun = 0;
  let isOver = false;
  const next = (): void => {
    const place = begun++;
    const attempt = attempts[place];
    if (attempt === undefined || isOver) return;
    const slow = setTimeout(next, TIMEOUT_MILLISECONDS);
    attempt().then((session) => {
      if (isOver) return void session.close();
      isOver = true;
      resolve(session);
    }, (error: Error) => {
      errors[place] = error;
      if (Object.keys(errors).length === attempts.length) return reject(errorOf(errors, names));
      if (place + 1 === begun) next();
    }).finally(() => clearTimeout(slow));
  };
  next();
  return promise;
}

/** Prefers an error that a server has answered: it is more useful than one about an unreachable server. */
function errorOf(errors: readonly Error[], names: readonly string[]): Error {
  const place = errors.findIndex((error) => error instanceof DatabaseError);
  if (place >= 0) {
    const { code, message } = errors[place] as DatabaseError;
    return new DatabaseError(code, `${names[place]}: ${message}`);
  }
  return new SessionLost(errors.map(({ message }, i) => `${names[i]}: ${message}`).join("; "));
}
