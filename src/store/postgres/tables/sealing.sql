-- These tables exist in a store that a server with subjects has opened.

-- Each subject and the ID of each key that it has had. Name and value may be longer than an index allows: the token of
-- the identifier finds them. Numbers follow the order in which the keys were made. `forgotten` in microseconds since
-- 1970, NULL for a key in use, which is the last one of its subject.
CREATE TABLE subject (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL,
  token uuid NOT NULL,
  name bytea NOT NULL,
  value bytea NOT NULL,
  forgotten bigint
);

CREATE INDEX subject_token ON subject (token, number);

-- The keys in use, in the form of src/store/core/sealing/master_keys.ts. The row of a key is deleted when its subject is
-- forgotten. The table has nothing else, so that it is small when PostgreSQL writes it anew. Where the server may not ask
-- for that, autovacuum frees the deleted rows.
CREATE TABLE subject_key (
  id text PRIMARY KEY,
  key bytea NOT NULL
) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0);

-- Finds the IDs of the master keys that are needed. Without a master key, the index is empty.
CREATE INDEX subject_key_wrapping ON subject_key (substring(key FROM 1 FOR 8))
  WHERE substring(key FROM 1 FOR 8) > '\x0000000000000000';

-- Statistics of a column are copies of some of its values, which nothing deletes with their row.
ALTER TABLE subject_key ALTER COLUMN key SET STATISTICS 0;

-- One row. Its name changes whenever keys are destroyed, so that a server knows whether keys that it has read are still
-- in use. `must_rewrite` while keys are wrapped with another master key, until no former bytes are in their table.
CREATE TABLE subject_change (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  name uuid NOT NULL,
  must_rewrite boolean NOT NULL DEFAULT false
);

INSERT INTO subject_change (only_row, name) VALUES (1, gen_random_uuid());
