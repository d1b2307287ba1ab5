import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import type { StoreState } from "../../api/state.ts";
import { BatchSize } from "../../core/chunks/batch_size.ts";
import { ChunkLines } from "../../core/chunks/chunk_lines.ts";
import { rangeOf, searchFor } from "../../core/chunks/chunk_search.ts";
import type { ChunkWork } from "../../core/chunks/chunk_work.ts";
import type { Row } from "../protocol/cells.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { scanEvents } from "../tables/events.ts";
import { BATCHES } from "./event_batches.ts";
import { findEvents } from "./find_events.ts";

/** The unit of work is a step. */
const CHUNK_WORK: ChunkWork = { millisecondsMax: 25, workMin: 8, slowMillisecondsMax: 500 };

/** The continuation from one chunk to the next: the size of the page's events. */
interface Continuation {
  readonly bytesEach: number | undefined;
}

/**
 * Returns the first statement of a continued page of all events. It depends only on the request, so it is sent
 * together with the statement that reads the state of the store.
 */
export function firstStatement(request: ChunkRequest): Statement | undefined {
  if (request.query !== "every" || request.time !== undefined || request.head === undefined) return undefined;
  const { range, direction, limit } = searchFor(request, request.head);
  return scanEvents(range, Math.min(limit, sizeFor(request).next), direction);
}

/**
 * Reads the next part of a page, in the caller's transaction.
 * @param state the store as this transaction sees it
 * @param asked the answer to `firstStatement`, if there was one
 */
export async function readChunk(
  session: Pick<Session, "run">,
  { storeId, head }: StoreState,
  request: ChunkRequest,
  asked?: readonly Row[],
): Promise<Chunk> {
  const search = searchFor(request, head);
  const size = sizeFor(request);
  // After a reset, the store may end before this range. Then `asked` belongs to the former store.
  const isSame = search.range.upTo === rangeOf(request, Infinity).upTo;
  const lines = new ChunkLines(search, CHUNK_WORK);
  for await (const step of findEvents(session, { ...search, size, asked: isSame ? asked : undefined })) {
    if (!lines.add(step, 1)) continue;
    const chunk = { storeId, head, ...lines.take() };
    if (chunk.end !== false) return chunk;
    return { ...chunk, continuation: { bytesEach: size.bytesEach } satisfies Continuation };
  }
  return { storeId, head, ...lines.takeLast() };
}

function sizeFor({ continuation }: ChunkRequest): BatchSize {
  return new BatchSize(BATCHES, (continuation as Continuation | undefined)?.bytesEach);
}
