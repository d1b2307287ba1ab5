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

/** A server that has not answered after this time does not keep the next one from being tried beside it. */
const TIMEOUT_MILLISECONDS = 1000;

type Attempt = () => Promise<Session>;

/**
 * Opens a session with the first server of an address that will do.
 * @param target what is wanted of the server
 * @param faultOf why a server will not do that is as wanted, if it will not
 * @param isLatest whether all are asked, and of several primaries the latest one will do
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

/** System identifier, timeline and database are asked of a primary only: a replica may be on its way to another one. */
const FACTS = `SELECT pg_is_in_recovery(), current_setting('transaction_read_only')::boolean,
  CASE WHEN pg_is_in_recovery() THEN ''
    ELSE concat_ws('/', (pg_control_system()).system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
      (SELECT oid FROM pg_database WHERE datname = current_database())) END`;

/** Why a server will not do; undefined when it will. Also notes the timeline of its session. */
async function targetFault(session: Session, target: PostgresTarget): Promise<string | undefined> {
  const [[row] = []] = await session.run([{ sql: FACTS }]);
  const [isReplica, isReadOnly] = [booleanIn(row![0]), booleanIn(row![1])];
  session.timeline = textIn(row![2]);
  if (target === "any") return undefined;
  if (target === "standby") return isReplica ? undefined : "is a primary";
  if (isReplica) return "is a replica; name the primary in postgresUrl";
  return target === "read-write" && isReadOnly ? "takes no writes" : undefined;
}

/** Begins all attempts, and takes the session with the latest timeline of those that open about as soon as the first. */
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

/** Begins one attempt after the other, each when the one before has failed or is slow. The first to succeed wins. */
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

/** What a server has answered says more than that another one is not there. */
function errorOf(errors: readonly Error[], names: readonly string[]): Error {
  const place = errors.findIndex((error) => error instanceof DatabaseError);
  if (place >= 0) {
    const { code, message } = errors[place] as DatabaseError;
    return new DatabaseError(code, `${names[place]}: ${message}`);
  }
  return new SessionLost(errors.map(({ message }, i) => `${names[i]}: ${message}`).join("; "));
}
