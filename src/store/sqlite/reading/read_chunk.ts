import { eventLine } from "../../../wire/event.ts";
import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import type { StoreState } from "../../api/state.ts";
import type { Database } from "../connection/database.ts";
import {
  contains,
  type Direction,
  endOf,
  positionBefore,
  positionBehind,
  restOf,
  seenOf,
  sortedFor,
  startOf,
} from "../../core/ranges/direction.ts";
import { readState } from "../tables/identity.ts";
import type { Range } from "../../core/ranges/range.ts";
import { CHUNK_WORK, type ChunkWork, WorkDone } from "./chunk_work.ts";
import { findEvents, type Search } from "./find_events.ts";
import { LineBuffer } from "./line_buffer.ts";
import { readEvery } from "./read_every.ts";
import type { Window } from "./step.ts";

/** The most candidates that a continuation holds, 8 bytes each. */
const KEPT_CANDIDATES_MAX = 4096;

/** The continuation that a chunk passes to the next one. It means nothing to another store. */
interface Continuation {
  readonly storeId: string;
  readonly window: Window;
}

/**
 * Reads the next part of a page, inside the caller's transaction. It looks one event further than requested, so that
 * the last part knows whether more match.
 */
export function readChunk(
  db: Database,
  request: ChunkRequest,
  work: ChunkWork = CHUNK_WORK,
): Chunk {
  const state = readState(db);
  const { storeId } = state;
  const continuation = request.continuation as Continuation | undefined;
  const { query, time, limit } = request;
  const range = rangeOf(request, state.head);
  const direction = request.backwards ? "backwards" : "forwards";
  // Pages of all events are rarely read backwards, so the ordinary search reads them.
  if (query === "every" && time === undefined && direction === "forwards") {
    return { ...state, ...readEvery(db, range, limit, work) };
  }
  const search: Search = {
    query,
    time,
    range,
    direction,
    limit: limit + 1,
    head: state.head,
    window: continuation?.storeId === storeId ? continuation.window : undefined,
  };
  const { window, ...lines } = readLines(db, search, work);
  if (window === undefined) return { ...state, ...lines };
  return {
    ...state,
    ...lines,
    continuation: { storeId, window: keptOf(window, lines.last, direction) } satisfies Continuation,
  };
}

/** Returns the range that a request searches, in a store that ends at `storeHead`. */
function rangeOf(
  { afterSequence: after, beforeSequence = Infinity, head }: ChunkRequest,
  storeHead: number,
): Range {
  return { after, upTo: Math.max(after, Math.min(head ?? storeHead, beforeSequence - 1)) };
}

/**
 * Returns the part of a window that the next chunk needs. The main thread holds the continuations of all open pages,
 * for as long as their clients take. So a continuation has a limited size, and the index is asked again for the rest.
 */
function keptOf(window: Window, reached: number, direction: Direction): Window {
  if (window.candidates === "every") return window;
  const rest = restOf(window, reached, direction);
  const left = window.candidates.filter((sequence) => contains(rest, sequence));
  if (left.length <= KEPT_CANDIDATES_MAX) return { ...window, candidates: left };
  // While candidates are still being collected, they are not sorted.
  const candidates = [...sortedFor(left, direction).subarray(0, KEPT_CANDIDATES_MAX)];
  const end = positionBehind(candidates.at(-1)!, direction);
  return { ...window, ...seenOf(window, end, direction), candidates };
}

type Lines = Omit<Chunk, keyof StoreState | "continuation"> & { readonly window?: Window | undefined };

/** @param search asks for one event more than is wanted */
function readLines(db: Database, search: Search, work: ChunkWork): Lines {
  const done = new WorkDone(work);
  const buffer = new LineBuffer();
  const { range, direction } = search;
  let events = 0;
  let last = startOf(range, direction);
  const result = (end: Lines["end"], window?: Window): Lines => ({
    lines: buffer.take(),
    events,
    last,
    end,
    window,
  });
  for (const { rows, reached, microseconds, window } of findEvents(db, search)) {
    for (const row of rows) {
      if (events + 1 === search.limit) {
        last = positionBefore(row.sequence, direction);
        return result({ hasMore: true });
      }
      buffer.add(eventLine(row));
      events++;
      last = positionBehind(row.sequence, direction);
      if (buffer.isFull) return result(false, window);
    }
    last = reached;
    if (done.isEnoughAfter(microseconds) && last !== endOf(range, direction)) return result(false, window);
  }
  last = endOf(range, direction);
  return result({ hasMore: false });
}
