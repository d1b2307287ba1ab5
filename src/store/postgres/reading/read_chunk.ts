import { type Chunk, CHUNK_BYTES, type ChunkRequest } from "../../chunk.ts";
import { type Direction, endOf, positionBefore, positionBehind, startOf } from "../../ranges/direction.ts";
import type { Range } from "../../ranges/range.ts";
import type { StoreState } from "../../state.ts";
import type { Row } from "../protocol/cells.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { BatchSize, firstBatch } from "./event_batches.ts";
import { findEvents, type Search } from "./find_events.ts";
import { LineBytes } from "./line_bytes.ts";

/** A chunk ends at the first step of its search after this time, so that its connection is soon free for others. */
const MILLISECONDS_MAX = 25;
/** But not before it has done so much: a slow machine must not make endless chunks. */
const STEPS_MIN = 8;
/** After this time, any step is enough. */
const SLOW_MILLISECONDS_MAX = 500;

/** What a chunk hands over to the next one: how large the events of the page are. */
interface Kept {
  readonly bytesEach: number | undefined;
}

/**
 * What a page of all events that is continued asks for first: known before anything is read, so it is asked in the same
 * go as the state of the store.
 */
export function firstStatement(request: ChunkRequest): Statement | undefined {
  const { query, time, head, limit } = request;
  if (query !== "every" || time !== undefined || head === undefined) return undefined;
  return firstBatch(rangeOf(request, head), directionOf(request), sizeFor(request), limit + 1);
}

/**
 * Reads the next part of a page, in the caller's transaction. It looks one event further than requested, so that the
 * last part knows whether more match.
 * @param state the store as that transaction sees it
 * @param asked the answer to the first statement, if there was one
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
  // After a reset, it was asked for events of another store.
  const isSame = range.upTo === rangeOf(request, Infinity).upTo;
  const lines = await readLines(session, isSame ? { ...search, asked } : search);
  const chunk = { storeId, head, ...lines };
  return lines.end === false ? { ...chunk, kept: { bytesEach: size.bytesEach } satisfies Kept } : chunk;
}

/** The sequences between which a request looks, in a store that ends at `storeHead`. */
function rangeOf(
  { afterSequence: after, beforeSequence = Infinity, head = Infinity }: ChunkRequest,
  storeHead: number,
): Range {
  return { after, upTo: Math.max(after, Math.min(head, storeHead, beforeSequence - 1)) };
}

function directionOf({ backwards }: ChunkRequest): Direction {
  return backwards ? "backwards" : "forwards";
}

function sizeFor({ kept }: ChunkRequest): BatchSize {
  return new BatchSize(CHUNK_BYTES, (kept as Kept | undefined)?.bytesEach);
}

/** @param search asks for one event more than is wanted */
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
