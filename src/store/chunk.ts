import type { ReadRequest } from "../model/read_request.ts";
import type { StoreState } from "./state.ts";

/** A request for the next part of a page; `limit` is how many events are still wanted in all. */
export interface ChunkRequest extends ReadRequest {
  /** Only events up to this sequence; undefined: up to the head of this chunk's snapshot. */
  readonly head: number | undefined;
}

/** Part of a page: event lines, and what is needed to ask for the next part. */
export interface Chunk extends StoreState {
  readonly lines: Uint8Array<ArrayBuffer>;
  readonly events: number;
  /** Sequence of the last event in `lines`, or `afterSequence` when there is none. */
  readonly last: number;
  /** `false`: the next chunk continues. Otherwise the page is complete, whether or not more events match. */
  readonly end: false | { readonly hasMore: boolean };
}
