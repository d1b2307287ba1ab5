import type { Chunk, ChunkRequest } from "../../src/store/api/chunk.ts";
import type { Page } from "../../src/store/core/open_page.ts";
import type { Client } from "../../src/store/api/store.ts";

const encoder = new TextEncoder();

/** A client that never disconnects. */
export const STAYING: Client = { disconnected: new AbortController().signal };

export function chunk(
  text: string,
  events: number,
  last: number,
  end: Chunk["end"],
  rest: Partial<Chunk> = {},
): Chunk {
  return { storeId: "the store", head: 9, lines: encoder.encode(text), events, last, end, ...rest };
}

/** A query with a filter: only the previous chunk shows where the next one begins. */
export const FILTERED = [{ types: ["t"], identifiers: [], metadata: [] }];

/** Returns these chunks one by one and records the requests. */
export function reading(chunks: Chunk[]): {
  readChunk: (request: ChunkRequest) => Promise<Chunk>;
  requests: ChunkRequest[];
} {
  const requests: ChunkRequest[] = [];
  const readChunk = (request: ChunkRequest): Promise<Chunk> => {
    requests.push(request);
    const next = chunks.shift();
    return next === undefined ? Promise.reject(new Error("the reader failed")) : Promise.resolve(next);
  };
  return { readChunk, requests };
}

export async function drain(page: Page): Promise<{ text: string[]; end: unknown }> {
  const text: string[] = [];
  for (;;) {
    const { done, value } = await page.chunks.next();
    if (done) return { text, end: value };
    text.push(new TextDecoder().decode(value));
  }
}
