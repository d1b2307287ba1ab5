import type { ReadRequest } from "../../../model/read_request.ts";
import type { ChunkRequest } from "../../api/chunk.ts";
import type { Direction, Range } from "../ranges/direction.ts";

/** The search for the events of a chunk. */
export interface ChunkSearch extends Pick<ReadRequest, "query" | "time"> {
  readonly range: Range;
  readonly direction: Direction;
  /** One event more than the page wants, so that its last chunk knows whether more events match. */
  readonly limit: number;
}

/** Returns the search for a request, in a store that ends at `storeHead`. */
export function searchFor(request: ChunkRequest, storeHead: number): ChunkSearch {
  const { query, time, limit, backwards } = request;
  const direction = backwards ? "backwards" : "forwards";
  return { query, time, range: rangeOf(request, storeHead), direction, limit: limit + 1 };
}

/** Returns the sequences that a request asks for, in a store that ends at `storeHead`. */
export function rangeOf(
  { afterSequence: after, beforeSequence = Infinity, head = Infinity }: ChunkRequest,
  storeHead: number,
): Range {
  return { after, upTo: Math.max(after, Math.min(head, storeHead, beforeSequence - 1)) };
}

/** A stored event, its body as its storage reads it. */
export interface StoredEvent {
  readonly sequence: number;
  /** Microseconds since 1970. */
  readonly timeMicros: number;
  /** The rest of the event's JSON line after sequence and time. */
  readonly body: string | Uint8Array;
}

/** A short step of a search. It may have found nothing. */
export interface FoundEvents {
  /** Events that match, except that their times are not checked, in the order of the search. */
  readonly rows: readonly StoredEvent[];
  /** The position up to which every match has been found. */
  readonly reached: number;
}
