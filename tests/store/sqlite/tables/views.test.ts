import assert from "node:assert/strict";
import fc from "fast-check";
import { formatTimestamp } from "../../../../src/model/timestamp.ts";
import type { NewEvent } from "../../../../src/model/event.ts";
import { appendEvents } from "../../../../src/store/sqlite/tables/events.ts";
import { Database } from "../../../../src/store/sqlite/connection/database.ts";
import { createSchema } from "../../../../src/store/sqlite/tables/schema.ts";
import { prepareEvent } from "../../../../src/store/core/prepare_event.ts";
import { tagsText } from "../../../../src/wire/tags.ts";
import { event } from "../../arbitraries.ts";

/** Times that a store can hold. */
const timeMicros = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });

/** The driver would cut a text at its first NUL. */
const EVENTS = `SELECT sequence, time, CAST(type AS BLOB), identifiers, metadata, CAST(payload AS BLOB),
  json_valid(identifiers) AND json_valid(metadata) FROM events ORDER BY sequence`;
const TAGS =
  "SELECT sequence, part, CAST(name AS BLOB), CAST(value AS BLOB) FROM event_tags ORDER BY sequence, part";

const decoder = new TextDecoder();
const textOf = (value: unknown): unknown => value instanceof Uint8Array ? decoder.decode(value) : value;

/** The rows of the view `event_tags` for an event, in any order. */
function tagRows(sequence: number, { identifiers, metadata }: NewEvent): unknown[] {
  const parts = { identifiers, metadata };
  return Object.entries(parts).flatMap(([part, tags]) =>
    tags.map(({ name, value }) => [sequence, part, name, value])
  );
}

Deno.test("the views show any event as it was written, at any time", () => {
  fc.assert(fc.property(fc.array(fc.tuple(event, timeMicros), { maxLength: 5 }), (events) => {
    using db = new Database(":memory:", { readOnly: false });
    createSchema(db);
    appendEvents(db, 0, events.map(([event, micros]) => prepareEvent(event, micros)));
    assert.deepEqual(
      db.all(EVENTS).map((row) => row.map(textOf)),
      events.map(([{ type, identifiers, metadata, payload }, micros], i) => [
        i + 1,
        formatTimestamp(micros),
        type,
        tagsText(identifiers),
        tagsText(metadata),
        payload,
        1,
      ]),
    );
    const rows = (values: readonly unknown[]): string[] => values.map((row) => JSON.stringify(row)).sort();
    assert.deepEqual(
      rows(db.all(TAGS).map((row) => row.map(textOf))),
      rows(events.flatMap(([event], i) => tagRows(i + 1, event))),
    );
  }));
});
