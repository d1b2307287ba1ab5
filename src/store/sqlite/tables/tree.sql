-- This table exists in a backup.

-- The Merkle tree over the lines of the events (RFC 9162), a row for each block of 1,024 events: how many events it
-- has, and the roots of its complete subtrees, the largest first. A complete block has one.
CREATE TABLE tree_block (
  block INTEGER PRIMARY KEY,
  events INTEGER NOT NULL,
  roots BLOB NOT NULL
) STRICT;
