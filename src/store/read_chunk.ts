import type { Query } from "../model/query.ts";
import type { TimeRange } from "../model/time_range.ts";
import { eventLine } from "../wire/event.ts";
import type { Database } from "./database.ts";
import { findEvents } from "./find_events.ts";
import { readState, type StoreState } from "./identity.ts";
import { LineBuffer } from "./line_buffer.ts";

/**
 * A chunk ends with a line, soon after this size. Each open page holds one chunk while its client is
 * slow: with 1 MB, 50 slow readers took 290 MB. See docs/measurements/http_load.md.
 */
const CHUNK_BYTES_MAX = 192 * 1024;

/** Text is made into bytes in pieces of about this size. */
const TEXT_UNITS_MAX = 32 * 1024;

export interface ChunkRequest {
  readonly query: Query;
  /** Only events of these moments; undefined: of any. */
  readonly time?: TimeRange | undefined;
  /** Only events after this sequence. */
  readonly after: number;
  /** Only events up to this sequence; undefined: up to the head of this chunk's snapshot. */
  readonly head: number | undefined;
  /** Events that are still wanted, in this chunk and those after it. */
  readonly eventsMax: number;
}

/** Part of a page: event lines, and what is needed to ask for the next part. */
export interface Chunk extends StoreState {
  readonly lines: Uint8Array<ArrayBuffer>;
  readonly events: number;
  /** Sequence of the last event in `lines`, or `after` when there is none. */
  readonly last: number;
  /** `false`: the next chunk goes on. Otherwise the page is complete, with or without events beyond it. */
  readonly end: false | { readonly hasMore: boolean };
}

/**
 * Reads the next part of a page in one snapshot. It looks one event beyond the wanted ones, so that the
 * last part knows whether more match.
 */
export function readChunk(db: Database, request: ChunkRequest): Chunk {
  db.run("BEGIN");
  try {
    return readChunkInside(db, request);
  } finally {
    if (db.inTransaction) db.run("COMMIT");
  }
}

/** The same inside the caller's transaction. */
export function readChunkInside(db: Database, request: ChunkRequest): Chunk {
  const state = readState(db);
  return { ...state, ...readLines(db, request, request.head ?? state.head) };
}

/** The buffer of a chunk, for a worker that answers with one: it is moved, not copied. */
export function transferLines(answer: unknown): Transferable[] {
  const lines = (answer as Partial<Chunk> | undefined)?.lines;
  return lines === undefined ? [] : [lines.buffer];
}

type Lines = Omit<Chunk, keyof StoreState>;

function readLines(db: Database, request: ChunkRequest, head: number): Lines {
  const buffer = new LineBuffer(CHUNK_BYTES_MAX + TEXT_UNITS_MAX);
  let text = "";
  let events = 0;
  let last = request.after;
  const result = (end: Lines["end"]): Lines => {
    buffer.add(text);
    return { lines: buffer.bytes, events, last, end };
  };
  const search = { query: request.query, time: request.time, range: { after: last, head } };
  for (const rows of findEvents(db, search, request.eventsMax + 1)) {
    for (const [sequence, timeMicros, body] of rows) {
      if (events === request.eventsMax) return result({ hasMore: true });
      text += eventLine(sequence, timeMicros, body);
      events++;
      last = sequence;
      if (text.length < TEXT_UNITS_MAX) continue;
      buffer.add(text);
      text = "";
      if (buffer.length >= CHUNK_BYTES_MAX) return result(false);
    }
  }
  return result({ hasMore: false });
}
