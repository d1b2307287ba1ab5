-- One row: what identifies the history, and where it stands. Each turn locks it first, so that turns follow each other.
CREATE TABLE store (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  schema_version integer NOT NULL,
  id text NOT NULL,
  -- The highest sequence, 0 when there is no event.
  head bigint NOT NULL,
  -- Since when edition B is paused, in microseconds since 1970; NULL while it isn't.
  paused_since bigint,
  -- The same of edition C. Neither sees the other's pause.
  tickets_paused_since bigint,
  -- How many turns there were: of two states, the one with more is the later one.
  turns bigint NOT NULL,
  -- The edition of the servers that may write; empty before the first.
  edition text NOT NULL,
  -- The one server that may write, for editions of which only one may; otherwise empty. A server that finds another
  -- edition or another name here may not write any more.
  server text NOT NULL
) WITH (fillfactor = 20);

-- The servers that work on the store, or did until a while ago.
CREATE TABLE server (
  name text PRIMARY KEY,
  edition text NOT NULL,
  -- The last turn that it has committed: when it loses the answer to a COMMIT, it finds it here.
  turn text NOT NULL,
  -- Its last sign of life, by the clock of PostgreSQL.
  seen timestamptz NOT NULL
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

-- The time index: the earliest and the latest time in each block of events.
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
