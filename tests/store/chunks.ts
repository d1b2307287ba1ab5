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
  return (await eventsOfAll(reads, EVERYTHING)).map(({ type }) => type);
}

export function sequencesOf(chunk: Chunk): number[] {
  return linesOf(chunk).map(({ sequence }) => sequence);
}

/** The sequences of a whole page. */
export async function sequencesOfAll(
  reads: Pick<StoreReads, "chunk">,
  request: Partial<ChunkRequest>,
): Promise<number[]> {
  return (await eventsOfAll(reads, { ...EVERYTHING, ...request })).map(({ sequence }) => sequence);
}

async function eventsOfAll(
  reads: Pick<StoreReads, "chunk">,
  first: ChunkRequest,
): Promise<ReturnType<typeof linesOf>> {
  const events: ReturnType<typeof linesOf> = [];
  for (let request = first;;) {
    const chunk = await reads.chunk(request);
    events.push(...linesOf(chunk));
    if (chunk.end !== false) return events;
    request = { ...requestAfter(request, chunk), head: chunk.head };
  }
}

function linesOf(chunk: Chunk): { sequence: number; type: string }[] {
  const lines = new TextDecoder("utf-8", { fatal: true }).decode(chunk.lines).split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as { sequence: number; type: string });
}
