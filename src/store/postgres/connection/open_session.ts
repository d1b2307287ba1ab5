import type { PostgresAddress } from "../../../config/postgres_url.ts";
import type { Session, SessionOptions } from "../protocol/session.ts";
import { DATABASE_SILENCE, FROZEN_SERVER, IDLE_TRANSACTION } from "../time_limits.ts";
import { openFirst } from "./open_first.ts";
import type { PostgresLocation } from "./address.ts";

/** The purpose of a session. */
export type Purpose = "writing" | "reading" | "informing" | "setup";

/** How long a session for setup may be silent, for example in a reset. */
const SETUP_SILENCE_MILLISECONDS = 3_600_000;

interface PrimaryOptions {
  /** Called with the notifications of other sessions. */
  readonly onNotification?: ((text: string) => void) | undefined;
  /** Returns why a PostgreSQL that acts as the primary is not suitable, or undefined. */
  readonly faultOf?: (session: Session) => string | undefined;
  /** True asks all hosts: a server at its start has no knowledge by which it could recognize an old primary. */
  readonly isLatest?: boolean;
}

/**
 * Opens a session with the primary, whatever `target_session_attrs` of its address says.
 * @throws DatabaseError, SessionLost
 */
export function openPrimary(
  { address, schema }: PostgresLocation,
  purpose: Purpose,
  { onNotification, faultOf, isLatest }: PrimaryOptions = {},
): Promise<Session> {
  return openFirst(
    address,
    "read-write",
    { ...optionsFor(schema, purpose), onNotification },
    (session) => Promise.resolve(faultOf?.(session)),
    isLatest,
  );
}

/**
 * Opens a session with a replica, or with the kind of server that the address asks for.
 * @param faultOf returns why a replica is not suitable, or undefined
 * @throws DatabaseError, SessionLost
 */
export function openReplica(
  address: PostgresAddress,
  schema: string,
  faultOf: (session: Session) => Promise<string | undefined>,
): Promise<Session> {
  return openFirst(address, address.target ?? "any", optionsFor(schema, "reading"), faultOf);
}

function optionsFor(schema: string, purpose: Purpose): SessionOptions {
  const parameters = {
    application_name: "eventstore",
    search_path: `"${schema}"`,
    ...PLANS,
    ...KEEPALIVE,
    lock_timeout: `${FROZEN_SERVER}ms`,
    // An import may be slow: no server waits for it.
    idle_in_transaction_session_timeout: purpose === "setup" ? "0" : `${IDLE_TRANSACTION}ms`,
    // If PostgreSQL cancels a COMMIT that waits for a replica, the COMMIT counts as done, although the replica lacks
    // it. So this server gives up on writes itself, and ends the session.
    statement_timeout: purpose === "reading" || purpose === "informing" ? `${FROZEN_SERVER}ms` : "0",
    // A lost heartbeat does no harm.
    ...purpose === "informing" ? { synchronous_commit: "off" } : {},
    // A role may have other defaults for its other work.
    default_transaction_isolation: "read committed",
    default_transaction_read_only: "off",
  };
  return {
    parameters,
    silenceMilliseconds: purpose === "setup" ? SETUP_SILENCE_MILLISECONDS : DATABASE_SILENCE,
  };
}

/**
 * Makes every statement use an index, whatever the planner knows about the tables. With statistics of an empty table
 * it would scan a full one.
 */
const PLANS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
};

/** Lets PostgreSQL notice soon that this machine is gone. */
const KEEPALIVE = {
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  tcp_user_timeout: String(FROZEN_SERVER),
};
