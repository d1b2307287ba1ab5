-- One row: what identifies the history, and who may write. Each turn locks it, so that turns follow each other. It changes
-- with a reset, a pause or another server only: what changes with each turn is in the table turn.
CREATE TABLE store (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  schema_version integer NOT NULL,
  id text NOT NULL,
  -- Since when edition B is paused, in microseconds since 1970; NULL while it isn't.
  paused_since bigint,
  -- The same of edition C. Neither sees the other's pause.
  tickets_paused_since bigint,
  -- The edition of the servers that may write; empty before the first.
  edition text NOT NULL,
  -- The one server that may write, for editions of which only one may; otherwise empty. A server that finds another
  -- edition or another name here may not write any more.
  server text NOT NULL,
  -- The timeline of PostgreSQL on which nothing of the history is missing: system identifier, timeline ID, OIDs of the
  -- database and of this table, and a name. On another one, as after a failover or a restore, servers first check that. NULL: the next server takes the
  -- database as it is.
  timeline text
);

-- The last turns, a row each. Rows are only added, and removed together when they are old: an UPDATE would leave a dead
-- version with each turn, which an old snapshot (a dump, say) keeps in the way of all later turns.
CREATE TABLE turn (
  -- Of two states of the store, the one with the higher number is the later one. There may be gaps.
  number bigint PRIMARY KEY,
  -- The highest sequence after this turn, 0 when there is no event.
  head bigint NOT NULL,
  -- Random. By it, a server finds its turn when it has lost the answer to a COMMIT, and finds a turn missing that it has
  -- seen.
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
  -- The connection on which it writes: process, start, and an advisory lock that is held there. A pooler may keep the
  -- connection when the server is gone, but not the lock.
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

-- By itself, so that it can be made when the first events are there: in order, and not entry by entry.
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
