import { type Chunk, CHUNK_BYTES, type ChunkRequest } from "../../api/chunk.ts";
import {
  type Direction,
  endOf,
  positionBefore,
  positionBehind,
  startOf,
} from "../../core/ranges/direction.ts";
import type { Range } from "../../core/ranges/range.ts";
import type { StoreState } from "../../api/state.ts";
import type { Row } from "../protocol/cells.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { BatchSize, firstBatch } from "./event_batches.ts";
import { findEvents, type Search } from "./find_events.ts";
import { LineBytes } from "./line_bytes.ts";

/** A chunk ends at the first step after this time, so that its connection is soon free for other reads. */
const MILLISECONDS_MAX = 25;
/** The minimum of steps before that: a slow machine must not split a page into endless chunks. */
const STEPS_MIN = 8;
/** After this time, a chunk ends at the next step, even if it made fewer. */
const SLOW_MILLISECONDS_MAX = 500;

/** The continuation from one chunk to the next: the size of the page's events. */
interface Continuation {
  readonly bytesEach: number | undefined;
}

/**
 * Returns the first statement of a continued page of all events. It depends only on the request, so it is sent
 * together with the statement that reads the state of the store.
 */
export function firstStatement(request: ChunkRequest): Statement | undefined {
  const { query, time, head, limit } = request;
  if (query !== "every" || time !== undefined || head === undefined) return undefined;
  return firstBatch(rangeOf(request, head), directionOf(request), sizeFor(request), limit + 1);
}

/**
 * Reads the next part of a page, in the caller's transaction. It looks for one event more than requested, so that
 * the last part can say whether more events match.
 * @param state the store as this transaction sees it
 * @param asked the answer to `firstStatement`, if there was one
 */
export async function readChunk(
  session: Pick<Session, "run">,
  { storeId, head }: StoreState,
  request: ChunkRequest,
  asked?: readonly Row[],
): Promise<Chunk> {
  const { query, time, limit } = request;
  const range = rangeOf(request, head);
  const direction = directionOf(request);
  const size = sizeFor(request);
  const search = { query, time, range, direction, limit: limit + 1, size };
  // After a reset, the store may end before this range. Then `asked` belongs to the former store.
  const isSame = range.upTo === rangeOf(request, Infinity).upTo;
  const lines = await readLines(session, isSame ? { ...search, asked } : search);
  const chunk = { storeId, head, ...lines };
  return lines.end === false
    ? { ...chunk, continuation: { bytesEach: size.bytesEach } satisfies Continuation }
    : chunk;
}

/** Returns the range of sequences that a request searches, in a store that ends at `storeHead`. */
function rangeOf(
  { afterSequence: after, beforeSequence = Infinity, head = Infinity }: ChunkRequest,
  storeHead: number,
): Range {
  return { after, upTo: Math.max(after, Math.min(head, storeHead, beforeSequence - 1)) };
}

function directionOf({ backwards }: ChunkRequest): Direction {
  return backwards ? "backwards" : "forwards";
}

function sizeFor({ continuation }: ChunkRequest): BatchSize {
  return new BatchSize(CHUNK_BYTES, (continuation as Continuation | undefined)?.bytesEach);
}

/** @param search its limit is one event more than requested */
async function readLines(
  session: Pick<Session, "run">,
  search: Search,
): Promise<Pick<Chunk, "lines" | "events" | "last" | "end">> {
  const begun = performance.now();
  let steps = 0;
  const isEnough = (): boolean => {
    const taken = performance.now() - begun;
    return taken >= SLOW_MILLISECONDS_MAX || (++steps >= STEPS_MIN && taken >= MILLISECONDS_MAX);
  };
  const { range, direction } = search;
  const lines = new LineBytes();
  let events = 0;
  let last = startOf(range, direction);
  const result = (end: Chunk["end"]): Pick<Chunk, "lines" | "events" | "last" | "end"> => ({
    lines: lines.take(),
    events,
    last,
    end,
  });
  for await (const { rows, reached } of findEvents(session, search)) {
    for (const row of rows) {
      if (events + 1 === search.limit) {
        last = positionBefore(row.sequence, direction);
        return result({ hasMore: true });
      }
      lines.add(row);
      events++;
      last = positionBehind(row.sequence, direction);
      if (lines.length >= CHUNK_BYTES) return result(false);
    }
    last = reached;
    if (isEnough() && last !== endOf(range, direction)) return result(false);
  }
  last = endOf(range, direction);
  return result({ hasMore: false });
}
