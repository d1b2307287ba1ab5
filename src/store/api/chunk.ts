import type { ReadRequest } from "../../model/read_request.ts";
import type { StoreState } from "./state.ts";

/**
 * A chunk ends with the first line after this size. Each open page holds one chunk while its client is slow: with 1
 * MB, 50 slow readers took 290 MB. Much smaller chunks would cost a scan more calls to readers.
 */
export const CHUNK_BYTES = 192 * 1024;

/** A request for the next part of a page. `limit` is the number of events still wanted, from there to the end. */
export interface ChunkRequest extends ReadRequest {
  /** Only events up to this sequence; undefined: up to the head of this chunk's snapshot. */
  readonly head: number | undefined;
  /** The continuation that the previous chunk returned. */
  readonly continuation?: unknown;
}

/** Part of a page: event lines, and what is needed to ask for the next part. */
export interface Chunk extends StoreState {
  readonly lines: Uint8Array<ArrayBuffer>;
  readonly events: number;
  /**
   * The position of the page: this chunk and the earlier ones contain every match up to this sequence. Backwards,
   * they contain every match after it.
   */
  readonly last: number;
  /**
   * `false`: the next chunk continues from `last`. A chunk that has used up its time ends like that too, even without
   * a match. Otherwise the page is complete, whether or not more events match. The next match is then the event after
   * `last`, or backwards the event at `last`.
   */
  readonly end: false | { readonly hasMore: boolean };
  /**
   * A continuation: results that the store would otherwise compute again. The request for the next chunk passes it
   * back.
   */
  readonly continuation?: unknown;
}

/** Builds the request for the part of a page after a chunk. */
export function requestAfter<R extends ChunkRequest>(
  request: R,
  { last, events, continuation }: Chunk,
): R {
  const from = request.backwards ? { beforeSequence: last + 1 } : { afterSequence: last };
  return { ...request, ...from, limit: request.limit - events, continuation };
}
