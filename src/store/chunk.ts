import type { ReadRequest } from "../model/read_request.ts";
import type { StoreState } from "./state.ts";

/**
 * A chunk ends with a line, soon after this size. Each open page holds one chunk while its client is slow: with 1 MB, 50
 * slow readers took 290 MB. See docs/measurements.md.
 */
export const CHUNK_BYTES = 192 * 1024;

/** A request for the next part of a page; `limit` is how many events are wanted in all from there on. */
export interface ChunkRequest extends ReadRequest {
  /** Only events up to this sequence; undefined: up to the head of this chunk's snapshot. */
  readonly head: number | undefined;
  /** What came with the chunk before this one. */
  readonly kept?: unknown;
}

/** Part of a page: event lines, and what is needed to ask for the next part. */
export interface Chunk extends StoreState {
  readonly lines: Uint8Array<ArrayBuffer>;
  readonly events: number;
  /**
   * How far the page has come: everything that matches up to this sequence is in this chunk and those before it;
   * backwards, everything after it.
   */
  readonly last: number;
  /**
   * `false`: the next chunk goes on from `last`. A chunk that has taken long enough ends like that too, even if it
   * found nothing. Otherwise the page is complete, whether or not more events match; when they do, the first of them
   * is the event after `last`, and backwards that of `last`.
   */
  readonly end: false | { readonly hasMore: boolean };
  /** What the store would have to find out again, unless it is handed over with the request for the next chunk. */
  readonly kept?: unknown;
}

/** The request for the part of a page after a chunk, as whoever asked for that chunk goes on. */
export function requestAfter<R extends ChunkRequest>(request: R, { last, events, kept }: Chunk): R {
  const from = request.backwards ? { beforeSequence: last + 1 } : { afterSequence: last };
  return { ...request, ...from, limit: request.limit - events, kept };
}
