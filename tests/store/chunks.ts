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

/** The types of all events of a store, however many chunks they come in. */
export async function allTypesOf(reads: Pick<StoreReads, "chunk">): Promise<string[]> {
  const types: string[] = [];
  let request = EVERYTHING;
  for (;;) {
    const chunk = await reads.chunk(request);
    types.push(...typesOf(chunk));
    if (chunk.end !== false) return types;
    request = requestAfter(request, chunk);
  }
}

export function sequencesOf(chunk: Chunk): number[] {
  return linesOf(chunk).map(({ sequence }) => sequence);
}

function linesOf(chunk: Chunk): { sequence: number; type: string }[] {
  const lines = new TextDecoder("utf-8", { fatal: true }).decode(chunk.lines).split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as { sequence: number; type: string });
}
