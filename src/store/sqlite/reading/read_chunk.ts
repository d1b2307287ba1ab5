import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import { ChunkLines } from "../../core/chunks/chunk_lines.ts";
import { searchFor } from "../../core/chunks/chunk_search.ts";
import type { ChunkWork } from "../../core/chunks/chunk_work.ts";
import {
  contains,
  type Direction,
  positionBehind,
  restOf,
  seenOf,
  sortedFor,
} from "../../core/ranges/direction.ts";
import type { MasterKeys } from "../../core/sealing/master_keys.ts";
import { SealedLines } from "../../core/sealing/sealed_lines.ts";
import type { Database } from "../connection/database.ts";
import { readState } from "../tables/identity.ts";
import { keysById } from "../tables/subjects.ts";
import { findEvents } from "./find_events.ts";
import { readEvery } from "./read_every.ts";
import type { Window } from "./step.ts";

/** A chunk ends by its time alone only after work that should take 5 ms, unless the disk is very slow. */
export const CHUNK_WORK: ChunkWork = { millisecondsMax: 25, workMin: 5000, slowMillisecondsMax: 250 };

/** The most candidates that a continuation holds, 8 bytes each. */
const KEPT_CANDIDATES_MAX = 4096;

/** The continuation that a chunk passes to the next one. It means nothing to another store. */
interface Continuation {
  readonly storeId: string;
  readonly window: Window;
}

/**
 * Reads the next part of a page, inside the caller's transaction.
 * @param masters for the keys of subjects; false in a store without any
 * @param work its limits, in microseconds of estimated work
 */
export function readChunk(
  db: Database,
  request: ChunkRequest,
  masters: MasterKeys | false,
  work: ChunkWork = CHUNK_WORK,
): Chunk {
  const chunk = readStoredChunk(db, request, work);
  if (masters === false || request.stored) return chunk;
  const sealed = new SealedLines(chunk.lines);
  const { keyIds } = sealed;
  return keyIds.length === 0 ? chunk : { ...chunk, lines: sealed.opened(keysById(db, keyIds, masters)) };
}

function readStoredChunk(db: Database, request: ChunkRequest, work: ChunkWork): Chunk {
  const state = readState(db);
  const { storeId, head } = state;
  const search = searchFor(request, head);
  const { query, time, range, direction } = search;
  // Pages of all events are rarely read backwards, so the ordinary search reads them.
  if (query === "every" && time === undefined && direction === "forwards") {
    return { ...state, ...readEvery(db, range, request.limit, work) };
  }
  const before = request.continuation as Continuation | undefined;
  const begun = before?.storeId === storeId ? before.window : undefined;
  const lines = new ChunkLines(search, work);
  for (const step of findEvents(db, { ...search, head, window: begun })) {
    if (!lines.add(step, step.microseconds)) continue;
    const chunk = { ...state, ...lines.take() };
    if (step.window === undefined || chunk.end !== false) return chunk;
    const window = keptOf(step.window, chunk.last, direction);
    return { ...chunk, continuation: { storeId, window } satisfies Continuation };
  }
  return { ...state, ...lines.takeLast() };
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
