import type { Chunk, ChunkRequest } from "../../src/store/chunk.ts";

/** Asks for the whole store. */
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

export function sequencesOf(chunk: Chunk): number[] {
  return linesOf(chunk).map(({ sequence }) => sequence);
}

function linesOf(chunk: Chunk): { sequence: number; type: string }[] {
  const lines = new TextDecoder("utf-8", { fatal: true }).decode(chunk.lines).split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as { sequence: number; type: string });
}
