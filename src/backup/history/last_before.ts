import { readChunk } from "../../store/sqlite/reading/read_chunk.ts";
import type { Database } from "../../store/sqlite/connection/database.ts";
import { type ChunkRequest, requestAfter } from "../../store/api/chunk.ts";

const decoder = new TextDecoder();

/**
 * Returns the sequence before the first event whose time is not before the given one, in microseconds since 1970.
 * Without such an event it is the last sequence.
 */
export function lastBefore(db: Database, timeMicros: number): number {
  const time = { fromMicros: timeMicros, beforeMicros: Number.MAX_SAFE_INTEGER };
  let request: ChunkRequest = { query: "every", afterSequence: 0, time, limit: 1, head: undefined };
  for (;;) {
    const chunk = readChunk(db, request, false);
    if (chunk.events > 0) return JSON.parse(decoder.decode(chunk.lines)).sequence - 1;
    if (chunk.end !== false) return chunk.head;
    request = requestAfter({ ...request, head: chunk.head }, chunk);
  }
}
