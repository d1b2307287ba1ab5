import { fileFaults } from "../../src/store/sqlite/backup/checks/file_check.ts";
import { hasForeignEntries, TagIndexCheck } from "../../src/store/sqlite/backup/checks/tag_index_check.ts";
import { TimeIndexCheck } from "../../src/store/sqlite/backup/checks/time_index_check.ts";
import type { Database } from "../../src/store/sqlite/connection/database.ts";
import { type EventRow, scanEvents } from "../../src/store/sqlite/tables/events.ts";
import { readPausedSince, readState } from "../../src/store/sqlite/tables/identity.ts";
import { eventTerms } from "../../src/store/core/index_terms.ts";
import { eventLine, parseQueried } from "../../src/wire/event.ts";
import type { FoundProjection, StoreContent } from "./store_content.ts";
import type { FoundEvent } from "./wire_event.ts";

/** Reads the whole content of a database, with the faults of its file and its indexes. */
export function readDatabase(db: Database): StoreContent {
  const { storeId, head } = readState(db);
  const rows = scanEvents(db, { after: Number.MIN_SAFE_INTEGER, upTo: Number.MAX_SAFE_INTEGER }, 10_000_000);
  return {
    storeId,
    events: rows.map((row) => JSON.parse(eventLine(row)) as FoundEvent),
    projections: readProjections(db),
    isPaused: readPausedSince(db) !== undefined,
    faults: [...fileFaults(db), ...indexFaults(db, rows, head)],
  };
}

function readProjections(db: Database): FoundProjection[] {
  const decoder = new TextDecoder();
  const rows = db.all("SELECT type, id, version, payload FROM projection WHERE type <> x''") as unknown[][];
  return rows.map(([type, id, version, payload]) => ({
    type: decoder.decode(type as Uint8Array),
    id: decoder.decode(id as Uint8Array),
    version: version as string,
    payload: decoder.decode(payload as Uint8Array),
  }));
}

/** Returns the faults of the file of a database and of its indexes, however many events it has. */
export function faultsOfDatabase(db: Database): string[] {
  const { head } = readState(db);
  return [...fileFaults(db), ...indexFaults(db, everyRow(db, head), head)];
}

const ROWS_AT_ONCE = 10_000;

function* everyRow(db: Database, head: number): Generator<EventRow> {
  for (let after = 0; after < head; after += ROWS_AT_ONCE) {
    yield* scanEvents(db, { after, upTo: head }, ROWS_AT_ONCE);
  }
}

function indexFaults(db: Database, rows: Iterable<EventRow>, head: number): string[] {
  const times = new TimeIndexCheck(db);
  const tags = new TagIndexCheck(db, { after: 0, upTo: head });
  for (const { sequence, timeMicros, body } of rows) {
    times.add(sequence, timeMicros);
    tags.add(sequence, eventTerms(parseQueried(body)));
  }
  const steps = tags.compare();
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const foreign = hasForeignEntries(db, head) ? "the tag index has entries without an event" : undefined;
  return [step.value, foreign, times.fault()].filter((fault) => fault !== undefined);
}
