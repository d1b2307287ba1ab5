/*
 * The time limits between servers and PostgreSQL, in milliseconds. Their order matters: `TIME_LIMITS_IN_ORDER` states it,
 * and a test holds it.
 */

/** How often a standby server checks whether the active one still runs. */
export const STANDBY_POLL = 50;

/** How often a server checks the store while a client waits for events: a notification may be lost. */
export const AWAITED_POLL = 500;

/** How often a server checks the store at least, so that it notices soon when the primary is cut off. */
export const PEER_POLL = 1000;

/** The active server sends a heartbeat on its connection for writes this often. */
export const ACTIVE_HEARTBEAT = 1000;

/** A check of the peer monitor is short and takes no lock. Without an answer for this time, PostgreSQL is cut off. */
export const PEER_POLL_SILENCE = 3000;

/** The same for a check of a standby server, which then opens a new connection. */
export const STANDBY_POLL_SILENCE = 5000;

/** Every server writes a heartbeat into its row of the table `server` this often. */
export const PEER_HEARTBEAT = 5000;

/**
 * How long replicas may be read after the last contact with the primary. A server without contact must stop showing its
 * history before others may give the store a new ID.
 */
export const REPLICA_LEASE = 5000;

/**
 * After this time without a heartbeat on its connection, the active server is replaced. That leaves time for a very busy
 * machine, and a takeover still fits into 10 s.
 */
export const ACTIVE_SILENCE = 7000;

/**
 * PostgreSQL ends a session that is idle in a transaction for this time: its server is frozen. That is less than
 * `FROZEN_SERVER`, so that waiting servers get the lock and not an error.
 */
export const IDLE_TRANSACTION = 8000;

/** A frozen server delays the write transactions of others for at most this time. */
export const FROZEN_SERVER = 10_000;

/** How long other servers may take to confirm the history. They notice within about 5 s that a primary is cut off. */
export const CONFIRMATION = 10_000;

/** A server counts as gone after this time without a heartbeat in its row. */
export const PEER_GONE = 3 * PEER_HEARTBEAT;

/** How long PostgreSQL may be silent. A COMMIT may wait for a replica, so this is more than the statement timeout. */
export const DATABASE_SILENCE = 15_000;

/** Groups of limits of which each must be shorter than the next. */
export const TIME_LIMITS_IN_ORDER: readonly (readonly number[])[] = [
  [STANDBY_POLL, STANDBY_POLL_SILENCE, ACTIVE_SILENCE],
  [ACTIVE_HEARTBEAT, ACTIVE_SILENCE, IDLE_TRANSACTION, FROZEN_SERVER, DATABASE_SILENCE],
  [AWAITED_POLL, PEER_POLL, PEER_POLL_SILENCE, REPLICA_LEASE, CONFIRMATION],
  [PEER_POLL + PEER_POLL_SILENCE, CONFIRMATION],
  [PEER_HEARTBEAT, PEER_GONE],
];
