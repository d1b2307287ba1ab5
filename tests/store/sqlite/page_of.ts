import { type Chunk, type ChunkRequest, requestAfter } from "../../../src/store/api/chunk.ts";
import type { ChunkWork } from "../../../src/store/core/chunks/chunk_work.ts";
import { readChunk } from "../../../src/store/sqlite/reading/read_chunk.ts";
import { EVERYTHING } from "../chunks.ts";
import type { TestStore } from "../test_store.ts";

/** The chunks of a page. Each one is copied, as between readers. */
export function* pageOf(store: TestStore, page: Partial<ChunkRequest>, work?: ChunkWork): Generator<Chunk> {
  for (let request: ChunkRequest = { ...EVERYTHING, ...page };;) {
    const chunk = structuredClone(readChunk(store.db, request, false, work));
    yield chunk;
    if (chunk.end !== false) return;
    request = { ...requestAfter(request, chunk), head: request.head ?? chunk.head };
  }
}
