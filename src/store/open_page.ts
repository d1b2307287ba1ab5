import { NoReply } from "../model/errors.ts";
import type { ReadRequest } from "../model/read_request.ts";
import type { Chunk, ChunkRequest } from "./chunk.ts";

/** A page whose first part has been read, so that its store ID and head are known. */
export interface Page {
  readonly storeId: string;
  /** Highest sequence of the store when the page was begun; the page never looks beyond it. */
  readonly head: number;
  /**
   * The event lines in chunks of about 192 KB, each of which is valid only until the next one is requested. The
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
 * a slow client holds neither a connection nor a snapshot. Events never change, so together the reads show the
 * store as the first of them found it.
 */
export async function openPage(
  readChunk: (request: ChunkRequest) => Promise<Chunk>,
  request: ReadRequest,
): Promise<Page> {
  let chunk = await readChunk({ ...request, head: undefined });
  const { storeId, head } = chunk;

  async function* chunks(): Page["chunks"] {
    let { limit } = request;
    while (true) {
      if (chunk.lines.length > 0) yield chunk.lines;
      if (chunk.end !== false) return chunk.end;
      // A chunk that is not the last is larger than what the transport buffers, so its bytes have been sent by now.
      // Released at once: left to the garbage collector, what 50 readers had passed on took 50 MB.
      chunk.lines.buffer.transfer(0);
      limit -= chunk.events;
      chunk = await readChunk({ ...request, afterSequence: chunk.last, head, limit });
      if (chunk.storeId !== storeId) throw new StoreChanged("the store was reset while it was being read");
    }
  }

  return { storeId, head, chunks: chunks() };
}
