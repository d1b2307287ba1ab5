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
  /** After this time, any step is enough: with a cold disk, one may take a hundred times longer than it should. */
  readonly slowMillisecondsMax: number;
}

const CHUNK_WORK: ChunkWork = { millisecondsMax: 25, microsecondsMin: 5000, slowMillisecondsMax: 250 };

/** Candidates that are handed over from chunk to chunk, 8 bytes each. */
const KEPT_CANDIDATES_MAX = 4096;

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
    ...(window === undefined ? {} : { kept: { storeId, window: keptOf(window, lines.last) } satisfies Kept }),
  };
}

/**
 * What the next chunk needs of a window. All open pages keep theirs on the main thread, for as long as their clients
 * take; so what would be too much is asked for again.
 */
function keptOf(window: Window, last: number): Window {
  if (window.candidates === "every") return window;
  const left = window.candidates.filter((sequence) => sequence > last);
  if (left.length <= KEPT_CANDIDATES_MAX) return { ...window, candidates: left };
  // While they are still being gathered, they are not in order.
  const candidates = [...Float64Array.from(left).sort().subarray(0, KEPT_CANDIDATES_MAX)];
  return { ...window, candidates, upTo: candidates.at(-1)! };
}

type Lines = Omit<Chunk, keyof StoreState | "kept"> & { readonly window?: Window | undefined };

/** @param search asks for one event more than is wanted */
function readLines(db: Database, search: Search, work: ChunkWork): Lines {
  const begun = performance.now();
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
    const taken = performance.now() - begun;
    const isOver = done >= work.microsecondsMin && taken >= work.millisecondsMax;
    if ((isOver || taken >= work.slowMillisecondsMax) && last < search.head) return result(false, window);
  }
  last = Math.max(search.afterSequence, search.head);
  return result({ hasMore: false });
}
