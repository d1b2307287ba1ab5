-- One row: it identifies the history, and names the servers that may write. Each write transaction locks it, so that they
-- run one after the other. It changes only with a reset, a pause or another server. The table turn records every
-- transaction.
CREATE TABLE store (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  schema_version integer NOT NULL,
  id text NOT NULL,
  -- Since when edition B is paused, in microseconds since 1970; NULL while it isn't.
  paused_since bigint,
  -- The same for edition C. Neither edition sees the pause of the other.
  tickets_paused_since bigint,
  -- The edition of the servers that may write; empty before the first.
  edition text NOT NULL,
  -- The only server that may write; empty when all servers of the edition may. A server that finds another edition or
  -- another name here may not write any more.
  server text NOT NULL,
  -- The timeline of PostgreSQL on which the history is complete: system identifier, timeline ID, OIDs of the database and
  -- of this table, and a name. On another timeline, as after a failover or a restore, servers first check the history.
  -- NULL: the next server accepts the database as it is.
  timeline text
);

-- The last write transactions, a row each. Rows are only added, and removed together when they are old. An UPDATE per
-- transaction would leave dead row versions. An old snapshot (such as a dump) preserves them, and they slow down all later
-- transactions.
CREATE TABLE turn (
  -- Of two states of the store, the one with the higher number is the later one. There may be gaps.
  number bigint PRIMARY KEY,
  -- The highest sequence after this write transaction, 0 when there is no event.
  head bigint NOT NULL,
  -- Random. By this name, a server finds its write transaction when the answer to a COMMIT was lost. It also notices when
  -- a transaction that it has seen is missing.
  name uuid NOT NULL
);

-- The servers that work on the store. One that stops deletes its row.
CREATE TABLE server (
  name text PRIMARY KEY,
  edition text NOT NULL,
  -- Its last heartbeat, by the clock of PostgreSQL.
  seen timestamptz NOT NULL,
  -- The last timeline on which this server has found everything that it has seen.
  timeline text NOT NULL,
  -- The connection on which it writes: its process, its start, and an advisory lock that it holds. When the server is
  -- gone, a pooler may keep the connection open, but not the lock.
  pid integer NOT NULL,
  session_start timestamptz NOT NULL,
  session_lock integer NOT NULL
) WITH (fillfactor = 20);

-- `time` in microseconds since 1970; `body` is the rest of the event's JSON line exactly as it is sent.
CREATE TABLE event (
  sequence bigint PRIMARY KEY,
  time bigint NOT NULL,
  body text NOT NULL
);

-- The tag index: the terms of each event, as 128-bit tokens.
CREATE TABLE event_term (
  term uuid NOT NULL,
  sequence bigint NOT NULL
);

-- A separate statement, so that the index can be built once the first events are present: in order, not entry by entry.
ALTER TABLE event_term ADD PRIMARY KEY (term, sequence);

-- The time index: the earliest and the latest time in each block of events, added when the block is complete.
CREATE TABLE time_block (
  block bigint PRIMARY KEY,
  time_min bigint NOT NULL,
  time_max bigint NOT NULL
);

-- Type and id may be longer than an index allows: their tokens are the key.
CREATE TABLE projection (
  type_token uuid NOT NULL,
  id_token uuid NOT NULL,
  type bytea NOT NULL,
  id bytea NOT NULL,
  version text NOT NULL,
  payload bytea NOT NULL,
  PRIMARY KEY (type_token, id_token)
);
