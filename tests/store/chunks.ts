import { type Chunk, type ChunkRequest, requestAfter } from "../../src/store/api/chunk.ts";
import type { StoreReads } from "../../src/store/api/store.ts";

/** Requests the whole store. */
export const EVERYTHING: ChunkRequest = {
  query: "every",
  afterSequence: 0,
  head: undefined,
  limit: Infinity,
};

/** The event types of a chunk, in order. */
export function typesOf(chunk: Chunk): string[] {
  return linesOf(chunk).map(({ type }) => type);
}

/** The types of all events of a store. */
export async function allTypesOf(reads: Pick<StoreReads, "chunk">): Promise<string[]> {
  return (await Array.fromAsync(chunksOf(reads), typesOf)).flat();
}

export function sequencesOf(chunk: Chunk): number[] {
  return linesOf(chunk).map(({ sequence }) => sequence);
}

/** The sequences of a whole page. */
export async function sequencesOfAll(
  reads: Pick<StoreReads, "chunk">,
  request: Partial<ChunkRequest>,
): Promise<number[]> {
  return (await Array.fromAsync(chunksOf(reads, request), sequencesOf)).flat();
}

/** The chunks of a page. The default is the whole store. */
export async function* chunksOf(
  reads: Pick<StoreReads, "chunk">,
  page: Partial<ChunkRequest> = {},
): AsyncGenerator<Chunk> {
  for (let request: ChunkRequest = { ...EVERYTHING, ...page };;) {
    const chunk = await reads.chunk(request);
    yield chunk;
    if (chunk.end !== false) return;
    request = { ...requestAfter(request, chunk), head: request.head ?? chunk.head };
  }
}

function linesOf(chunk: Chunk): { sequence: number; type: string }[] {
  const lines = new TextDecoder("utf-8", { fatal: true }).decode(chunk.lines).split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as { sequence: number; type: string });
}
