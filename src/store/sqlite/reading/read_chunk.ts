import { eventLine } from "../../../wire/event.ts";
import type { Chunk, ChunkRequest } from "../../chunk.ts";
import type { StoreState } from "../../state.ts";
import type { Database } from "../connection/database.ts";
import { readState } from "../tables/identity.ts";
import { CHUNK_WORK, type ChunkWork, WorkDone } from "./chunk_work.ts";
import { findEvents, type Search } from "./find_events.ts";
import { LineBuffer } from "./line_buffer.ts";
import { readEvery } from "./read_every.ts";
import type { Window } from "./step.ts";

/** Candidates that are handed over from chunk to chunk, 8 bytes each. */
const KEPT_CANDIDATES_MAX = 4096;

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
    window: kept?.storeId === storeId ? kept.window : undefined,
  };
  if (search.query === "every" && search.time === undefined) {
    return { ...state, ...readEvery(db, search, work) };
  }
  const { window, ...lines } = readLines(db, { ...search, limit: search.limit + 1 }, work);
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
  const done = new WorkDone(work);
  const buffer = new LineBuffer();
  let events = 0;
  let last = search.afterSequence;
  const result = (end: Lines["end"], window?: Window): Lines => ({
    lines: buffer.take(),
    events,
    last,
    end,
    window,
  });
  for (const { rows, upTo, microseconds, window } of findEvents(db, search)) {
    for (const row of rows) {
      if (events + 1 === search.limit) {
        last = row.sequence - 1;
        return result({ hasMore: true });
      }
      buffer.add(eventLine(row));
      events++;
      last = row.sequence;
      if (buffer.isFull) return result(false, window);
    }
    last = upTo;
    if (done.isEnoughAfter(microseconds) && last < search.head) return result(false, window);
  }
  last = Math.max(search.afterSequence, search.head);
  return result({ hasMore: false });
}
