import { ClientLeft, NoReply } from "../model/errors.ts";
import type { ReadRequest } from "../model/read_request.ts";
import type { Chunk, ChunkRequest } from "./chunk.ts";
import type { Client } from "./store.ts";

/** A page whose first part has been read, so that its store ID and head are known. */
export interface Page {
  readonly storeId: string;
  /** Highest sequence of the store when the page was begun; the page never looks beyond it. */
  readonly head: number;
  /** All of its event lines, if the first part is the whole page. */
  readonly whole: { readonly lines: Uint8Array<ArrayBuffer>; readonly hasMore: boolean } | undefined;
  /**
   * The event lines in chunks of at most about 192 KB, each of which is valid only until the next one is requested. The
   * generator returns whether more events match.
   */
  readonly chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, { readonly hasMore: boolean }>;
}

/** The store was reset while a page was being read: the response ends without a trailer, and nothing has failed. */
export class StoreChanged extends NoReply {
  override readonly name = "StoreChanged";
}

/** Larger than what the transport joins with other pieces, and thus holds on to. */
const RELEASED_BYTES_MIN = 64 * 1024 + 1;

/**
 * Begins a page. It is read as a series of short reads, each a transaction of its own on any free reader, so
 * a slow client holds neither a connection nor a snapshot. Events never change, so together the reads show the
 * store as the first of them found it.
 * @param client the page ends with ClientLeft at the next chunk when it has left
 */
export async function openPage(
  readChunk: (request: ChunkRequest) => Promise<Chunk>,
  request: ReadRequest,
  client: Client,
): Promise<Page> {
  let chunk = await readChunk({ ...request, head: undefined });
  const { storeId, head } = chunk;
  let { limit } = request;

  async function readNext(): Promise<void> {
    if (client.left.aborted) throw new ClientLeft();
    limit -= chunk.events;
    const { last, kept } = chunk;
    chunk = await readChunk({ ...request, afterSequence: last, head, limit, kept });
    if (chunk.storeId !== storeId) throw new StoreChanged("the store was reset while it was being read");
  }

  // Until there is a line, whatever happens can still be answered.
  try {
    while (chunk.events === 0 && chunk.end === false) await readNext();
  } catch (error) {
    if (error instanceof StoreChanged) return await openPage(readChunk, request, client);
    throw error;
  }

  async function* chunks(): Page["chunks"] {
    while (true) {
      if (chunk.lines.length > 0) yield chunk.lines;
      if (chunk.end !== false) return chunk.end;
      // By now its bytes have been sent. Released at once: left to the garbage collector, what 50 readers had
      // passed on took 50 MB.
      if (chunk.lines.length >= RELEASED_BYTES_MIN) chunk.lines.buffer.transfer(0);
      await readNext();
    }
  }

  const { lines, end } = chunk;
  const whole = end === false ? undefined : { lines, hasMore: end.hasMore };
  return { storeId, head, whole, chunks: chunks() };
}
