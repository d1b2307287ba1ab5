import { eventLine } from "../../../wire/event.ts";
import type { Chunk, ChunkRequest } from "../../chunk.ts";
import type { StoreState } from "../../state.ts";
import type { Database } from "../connection/database.ts";
import { readState } from "../tables/identity.ts";
import { findEvents, type Search } from "./find_events.ts";
import { LineBuffer } from "./line_buffer.ts";
import type { Window } from "./step.ts";

/**
 * A chunk ends with a line, soon after this size. Each open page holds one chunk while its client is
 * slow: with 1 MB, 50 slow readers took 290 MB. See docs/measurements/http_load.md.
 */
const CHUNK_BYTES_MAX = 192 * 1024;

/** How much may be done for one chunk, so that a reader is soon free for others, whatever a query costs. */
export interface ChunkWork {
  /** A chunk ends at the first step of its search after this time. */
  readonly millisecondsMax: number;
  /** But not before it has done what should take this long: a slow machine must not make endless chunks. */
  readonly microsecondsMin: number;
}

const CHUNK_WORK: ChunkWork = { millisecondsMax: 25, microsecondsMin: 5000 };

/** Text is turned into bytes in pieces of about this size. */
const TEXT_UNITS_MAX = 32 * 1024;

/** What a chunk hands over to the next one. It means nothing to another store. */
interface Kept {
  readonly storeId: string;
  readonly window: Window;
}

/**
 * Reads the next part of a page, inside the caller's transaction. It looks one event further than
 * requested, so that the last part knows whether more match.
 */
export function readChunk(
  db: Database,
  request: ChunkRequest,
  work: ChunkWork = CHUNK_WORK,
): Chunk {
  const state = readState(db);
  const { storeId } = state;
  const kept = request.kept as Kept | undefined;
  const search = {
    ...request,
    head: request.head ?? state.head,
    limit: request.limit + 1,
    window: kept?.storeId === storeId ? kept.window : undefined,
  };
  const { window, ...lines } = readLines(db, search, work);
  return {
    ...state,
    ...lines,
    ...(window === undefined ? {} : { kept: { storeId, window } satisfies Kept }),
  };
}

type Lines = Omit<Chunk, keyof StoreState | "kept"> & { readonly window?: Window | undefined };

/** @param search asks for one event more than is wanted */
function readLines(db: Database, search: Search, work: ChunkWork): Lines {
  const deadline = performance.now() + work.millisecondsMax;
  const buffer = new LineBuffer(CHUNK_BYTES_MAX + TEXT_UNITS_MAX);
  let text = "";
  let events = 0;
  let last = search.afterSequence;
  const result = (end: Lines["end"], window?: Window): Lines => {
    buffer.addLast(text);
    return { lines: buffer.bytes, events, last, end, window };
  };
  let done = 0;
  for (const { rows, upTo, microseconds, window } of findEvents(db, search)) {
    for (const row of rows) {
      if (events + 1 === search.limit) {
        last = row.sequence - 1;
        return result({ hasMore: true });
      }
      text += eventLine(row);
      events++;
      last = row.sequence;
      if (text.length < TEXT_UNITS_MAX) continue;
      buffer.add(text);
      text = "";
      if (buffer.length >= CHUNK_BYTES_MAX) return result(false, window);
    }
    last = upTo;
    done += microseconds;
    const isOver = done >= work.microsecondsMin && performance.now() >= deadline;
    if (isOver && last < search.head) return result(false, window);
  }
  last = Math.max(search.afterSequence, search.head);
  return result({ hasMore: false });
}
