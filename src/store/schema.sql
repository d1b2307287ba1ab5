-- One row: what identifies the history, and whatever must survive a restart.
CREATE TABLE store (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  id TEXT NOT NULL,
  -- Since when the store is paused, in microseconds since 1970; NULL while it isn't (edition B).
  paused_since INTEGER,
  -- Counted up by the fence transaction after a COMMIT that failed.
  fence INTEGER NOT NULL DEFAULT 0
) STRICT;

-- `time` in microseconds since 1970; `body` is the rest of the event's JSON line exactly as it goes out,
-- so that a page is produced without parsing. JSON escapes NUL, at which the driver would cut a TEXT.
CREATE TABLE event (
  sequence INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;

-- The tag index: rowid is the sequence, the document is the event's terms (see tag_index.ts).
CREATE VIRTUAL TABLE event_term USING fts5 (
  terms, content = '', detail = full, columnsize = 0, tokenize = 'ascii'
);

-- Strings of clients are BLOBs: they may hold NUL.
CREATE TABLE projection (
  type BLOB NOT NULL,
  id BLOB NOT NULL,
  version TEXT NOT NULL,
  payload BLOB NOT NULL,
  PRIMARY KEY (type, id)
) STRICT, WITHOUT ROWID;
