-- For readers from outside: docs/sql.md. This program does not use them. Databases keep this text, like the schema's,
-- and "verify" compares it; one that was created before there were views may lack them.

-- Each event with its parts as columns. What a query does not ask for is not computed.
CREATE VIEW IF NOT EXISTS events AS
SELECT
  sequence,
  -- SQLite divides towards zero, so the seconds are counted from the year 1.
  strftime('%Y-%m-%dT%H:%M:%S', (time + 62135596800000000) / 1000000 - 62135596800, 'unixepoch')
    || format('.%06dZ', (time + 62135596800000000) % 1000000) AS time,
  json_extract('{' || body || '}', '$.type') AS type,
  json_extract('{' || body || '}', '$.identifiers') AS identifiers,
  json_extract('{' || body || '}', '$.metadata') AS metadata,
  json_extract('{' || body || '}', '$.payload') AS payload
FROM event;

-- One row for each identifier and each metadata entry of an event, so several for a name with several values.
CREATE VIEW IF NOT EXISTS event_tags AS
SELECT event.sequence AS sequence, part.value AS part, tag.key AS name, tag_value.value AS value
FROM event
CROSS JOIN json_each('["identifiers","metadata"]') AS part
CROSS JOIN json_each('{' || event.body || '}', '$.' || part.value) AS tag
CROSS JOIN json_each(iif(tag.type = 'array', tag.value, json_array(tag.value))) AS tag_value;
