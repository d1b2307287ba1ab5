import type { PostgresAddress } from "../../../config/postgres_url.ts";
import type { Session } from "../protocol/session.ts";
import { openFirst } from "./open_first.ts";
import type { PostgresLocation } from "./address.ts";

/** What a session is for. */
export type Purpose = "writing" | "reading" | "informing" | "setup";

/** No turn may be kept waiting for longer by a server that has frozen. */
const FROZEN_SECONDS = 10;

/** Sooner, so that those who wait for the turn get it, and are not rejected. */
const IDLE_SECONDS = 8;

/**
 * How long the server may be silent. A COMMIT may wait for a replica, so this is more than the time in which statements
 * are ended.
 */
const SILENCE_MILLISECONDS: Readonly<Record<Purpose, number>> = {
  writing: 15_000,
  reading: 15_000,
  informing: 15_000,
  // Such as a reset, or the statistics of a large table.
  setup: 3_600_000,
};

export interface PrimaryOptions {
  /** Called with what another session says to those who listen. */
  readonly onNotification?: ((text: string) => void) | undefined;
  /** Why a PostgreSQL will not do that takes itself for the primary, if it will not. */
  readonly faultOf?: (session: Session) => string | undefined;
  /** Whether all hosts are asked: a server that starts knows nothing by which it would recognize an old primary. */
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
    {
      parameters: parametersFor(schema, purpose),
      silenceMilliseconds: SILENCE_MILLISECONDS[purpose],
      onNotification,
    },
    (session) => Promise.resolve(faultOf?.(session)),
    isLatest,
  );
}

/**
 * Opens a session with a replica, or with whatever the address asks for.
 * @param faultOf why a replica will not do, if it will not
 * @throws DatabaseError, SessionLost
 */
export function openReplica(
  address: PostgresAddress,
  schema: string,
  faultOf: (session: Session) => Promise<string | undefined>,
): Promise<Session> {
  return openFirst(address, address.target ?? "any", {
    parameters: parametersFor(schema, "reading"),
    silenceMilliseconds: SILENCE_MILLISECONDS.reading,
  }, faultOf);
}

function parametersFor(schema: string, purpose: Purpose): Record<string, string> {
  return {
    application_name: "eventstore",
    search_path: `"${schema}"`,
    ...PLANS,
    ...WATCH,
    lock_timeout: `${FROZEN_SECONDS}s`,
    // What is imported may come as slowly as it likes; nobody waits for it.
    idle_in_transaction_session_timeout: purpose === "setup" ? "0" : `${IDLE_SECONDS}s`,
    // A COMMIT that is ended while it waits for a replica would count as done, without being there: what writes is
    // given up by us, and ends with its session.
    statement_timeout: purpose === "reading" || purpose === "informing" ? `${FROZEN_SECONDS}s` : "0",
    // Nothing is lost with a heartbeat.
    ...purpose === "informing" ? { synchronous_commit: "off" } : {},
    // What a role may have set for its other work.
    default_transaction_isolation: "read committed",
    default_transaction_read_only: "off",
  };
}

/**
 * Every statement is meant for an index, whatever the planner knows about the tables: with statistics of an empty table
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

/** PostgreSQL notices soon when this machine is gone. */
const WATCH = {
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  tcp_user_timeout: String(FROZEN_SECONDS * 1000),
};
