import { eventLine } from "../../../wire/event.ts";
import type { Chunk, ChunkRequest } from "../../chunk.ts";
import type { StoreState } from "../../state.ts";
import type { Database } from "../connection/database.ts";
import { findEvents } from "./find_events.ts";
import { readState } from "../tables/identity.ts";
import { LineBuffer } from "./line_buffer.ts";

/**
 * A chunk ends with a line, soon after this size. Each open page holds one chunk while its client is
 * slow: with 1 MB, 50 slow readers took 290 MB. See docs/measurements/http_load.md.
 */
const CHUNK_BYTES_MAX = 192 * 1024;

/** Text is turned into bytes in pieces of about this size. */
const TEXT_UNITS_MAX = 32 * 1024;

/**
 * Reads the next part of a page, inside the caller's transaction. It looks one event further than
 * requested, so that the last part knows whether more match.
 */
export function readChunk(db: Database, request: ChunkRequest): Chunk {
  const state = readState(db);
  return { ...state, ...readLines(db, request, request.head ?? state.head) };
}

type Lines = Omit<Chunk, keyof StoreState>;

function readLines(db: Database, request: ChunkRequest, head: number): Lines {
  const buffer = new LineBuffer(CHUNK_BYTES_MAX + TEXT_UNITS_MAX);
  let text = "";
  let events = 0;
  let last = request.afterSequence;
  const result = (end: Lines["end"]): Lines => {
    buffer.add(text);
    return { lines: buffer.bytes, events, last, end };
  };
  for (const rows of findEvents(db, { ...request, head, limit: request.limit + 1 })) {
    for (const row of rows) {
      if (events === request.limit) return result({ hasMore: true });
      text += eventLine(row);
      events++;
      last = row.sequence;
      if (text.length < TEXT_UNITS_MAX) continue;
      buffer.add(text);
      text = "";
      if (buffer.length >= CHUNK_BYTES_MAX) return result(false);
    }
  }
  return result({ hasMore: false });
}
