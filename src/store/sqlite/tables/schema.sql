-- "verify" compares tables with this text, including the comments inside a statement: databases keep them.

-- One row: what identifies the history, and whatever must survive a restart.
CREATE TABLE store (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  id TEXT NOT NULL,
  -- Since when the store is paused, in microseconds since 1970; NULL while it isn't (edition B).
  paused_since INTEGER,
  -- Counted up by the fence transaction after a COMMIT that failed.
  fence INTEGER NOT NULL DEFAULT 0
) STRICT;

-- `time` in microseconds since 1970; `body` is the rest of the event's JSON line exactly as it is sent,
-- so that a page is produced without parsing. JSON escapes NUL, at which the driver would cut a TEXT.
CREATE TABLE event (
  sequence INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;

-- The time index: the earliest and the latest time in each block of events (see time_index.ts).
CREATE TABLE time_block (
  block INTEGER PRIMARY KEY,
  time_min INTEGER NOT NULL,
  time_max INTEGER NOT NULL
) STRICT;

-- The tag index: rowid is the sequence, the document is the event's terms (see tag_index.ts).
CREATE VIRTUAL TABLE event_term USING fts5 (
  terms, content = '', detail = full, columnsize = 0, tokenize = 'ascii'
);

-- Strings of clients are BLOBs: they may contain NUL.
CREATE TABLE projection (
  type BLOB NOT NULL,
  id BLOB NOT NULL,
  version TEXT NOT NULL,
  payload BLOB NOT NULL,
  PRIMARY KEY (type, id)
) STRICT, WITHOUT ROWID;

-- One row in a backup, none in any other store: which store the events were copied from. `chain` is empty, except in
-- a backup without a tree, which an earlier version made: there it is the hash chain over all events.
CREATE TABLE origin (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  store_id TEXT NOT NULL,
  source TEXT NOT NULL,
  chain BLOB NOT NULL
) STRICT;
