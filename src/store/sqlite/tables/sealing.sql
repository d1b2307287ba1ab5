-- These tables exist in a store that has been opened with subjects.

-- A key in the form of src/store/core/sealing/master_keys.ts, or zeros when its subject was forgotten. All have one size,
-- so SQLite overwrites them in place. Rows are only appended, so SQLite never moves one to another page, which might leave
-- a copy of the key behind.
CREATE TABLE subject_key (
  row INTEGER PRIMARY KEY,
  key BLOB NOT NULL
) STRICT;

-- Finds the IDs of the master keys with which keys in use are wrapped, zeros for keys that are not.
CREATE INDEX subject_key_wrapping ON subject_key (substr(key, 1, 8)) WHERE key <> zeroblob(68);

-- Each subject and the ID of each key that it has had. `forgotten` in microseconds since 1970, NULL for a key in use.
CREATE TABLE subject (
  id TEXT PRIMARY KEY,
  name BLOB NOT NULL,
  value BLOB NOT NULL,
  key_row INTEGER NOT NULL,
  forgotten INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX subject_name ON subject (name, value);

CREATE INDEX subject_key_row ON subject (key_row);
