import {
  type PostgresAddress,
  type PostgresServer,
  postgresServerText,
  type PostgresTarget,
} from "../../../config/postgres_url.ts";
import { booleanIn } from "../protocol/cells.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import { Session, type SessionOptions } from "../protocol/session.ts";

/** A server that has not answered after this time does not keep the next one from being tried beside it. */
const PATIENCE_MILLISECONDS = 1000;

type Attempt = () => Promise<Session>;

/**
 * Opens a session with the first server of an address that will do.
 * @param needed what is wanted of several servers when the address does not say
 * @throws DatabaseError, SessionLost
 */
export function openFirst(
  address: PostgresAddress,
  needed: PostgresTarget,
  options: SessionOptions,
): Promise<Session> {
  const { others = [], target = others.length === 0 ? "any" : needed } = address;
  const servers = [address.server, ...others];
  const withOne = (server: PostgresServer, wanted: PostgresTarget): Attempt => async () => {
    const session = await Session.open({ ...address, server }, options);
    try {
      const fault = await targetFault(session, wanted);
      if (fault !== undefined) throw new SessionLost(fault);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  };
  if (target === "any" && servers.length === 1) return withOne(address.server, "any")();
  const targets: PostgresTarget[] = target === "prefer-standby" ? ["standby", "any"] : [target];
  const attempts = targets.flatMap((wanted) => servers.map((server) => withOne(server, wanted)));
  const names = targets.flatMap(() => servers.map(postgresServerText));
  return firstOf(attempts, names);
}

/** Why a server will not do; undefined when it will. */
async function targetFault(session: Session, target: PostgresTarget): Promise<string | undefined> {
  if (target === "any") return undefined;
  const sql = "SELECT pg_is_in_recovery(), current_setting('transaction_read_only')::boolean";
  const [[row] = []] = await session.run([{ sql }]);
  const [isReplica, isReadOnly] = row!.map(booleanIn);
  if (target === "standby") return isReplica ? undefined : "is a primary";
  if (isReplica) return "is a replica";
  return target === "read-write" && isReadOnly ? "takes no writes" : undefined;
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
    const slow = setTimeout(next, PATIENCE_MILLISECONDS);
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
  const refusal = errors.find((error) => error instanceof DatabaseError);
  if (refusal !== undefined) return refusal;
  return new SessionLost(errors.map(({ message }, i) => `${names[i]}: ${message}`).join("; "));
}
