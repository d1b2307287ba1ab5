import { NoReply } from "../model/errors.ts";
import type { Query } from "../model/query.ts";
import type { TimeRange } from "../model/time_range.ts";
import type { Chunk, ChunkRequest } from "../store/read_chunk.ts";

/** What a page is to hold. */
export interface PageRequest {
  readonly query: Query;
  readonly afterSequence: number;
  /** undefined: of any time. */
  readonly time?: TimeRange | undefined;
  /** Most events of the page; Infinity for all of them. */
  readonly limit: number;
}

/** A page whose first part has been read, so that its store ID and head are known. */
export interface Page {
  readonly storeId: string;
  /** Highest sequence of the store when the page was begun; the page never looks beyond it. */
  readonly head: number;
  /**
   * The event lines in chunks of about 192 KB, each of which is gone when the next one is asked for. The
   * generator returns whether more events match.
   */
  readonly chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, { readonly hasMore: boolean }>;
}

/** The store was reset while a page was being read: the response ends without a trailer, and nothing has failed. */
export class StoreChanged extends NoReply {
  override readonly name = "StoreChanged";
}

/**
 * Begins a page. It is read as a series of short reads, each a transaction of its own on any free reader, so
 * that a slow client holds neither a connection nor a snapshot. Events never change, so that together they
 * show the store as the first of them found it.
 */
export async function openPage(
  readChunk: (request: ChunkRequest) => Promise<Chunk>,
  request: PageRequest,
): Promise<Page> {
  const { query, time, afterSequence, limit } = request;
  let chunk = await readChunk({ query, time, after: afterSequence, head: undefined, eventsMax: limit });
  const { storeId, head } = chunk;

  async function* chunks(): Page["chunks"] {
    let left = limit;
    while (true) {
      if (chunk.lines.length > 0) yield chunk.lines;
      // A chunk that is not the last is larger than what the transport puts aside, so its bytes are out by now.
      // Given back at once: collected in its own time, what 50 readers had passed on took 50 MB.
      if (chunk.end === false) chunk.lines.buffer.transfer(0);
      if (chunk.end !== false) return chunk.end;
      left -= chunk.events;
      chunk = await readChunk({ query, time, after: chunk.last, head, eventsMax: left });
      if (chunk.storeId !== storeId) throw new StoreChanged("the store was reset while it was read");
    }
  }

  return { storeId, head, chunks: chunks() };
}
