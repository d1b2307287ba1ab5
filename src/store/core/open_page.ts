import { ClientDisconnected, NoReply } from "../../model/errors.ts";
import type { ReadRequest } from "../../model/read_request.ts";
import { releaseBytes } from "../../workers/short_bytes.ts";
import { type Chunk, requestAfter } from "../api/chunk.ts";
import { type ChunkSource, followingChunks, type NextRequest } from "./following_chunks.ts";
import type { StoreState } from "../api/state.ts";
import type { Client } from "../api/store.ts";

/** A page whose first part has been read, so that its store ID and head are known. */
export interface Page {
  readonly storeId: string;
  /** Highest sequence of the store when the page was begun; the page never looks beyond it. */
  readonly head: number;
  /** All of its event lines, if the first part is the whole page. */
  readonly whole:
    | { readonly lines: Uint8Array<ArrayBuffer>; readonly events: number; readonly hasMore: boolean }
    | undefined;
  /** The events and the bytes of lines that `chunks` has handed out so far. */
  readonly handedOut: { readonly events: number; readonly bytes: number };
  /**
   * The event lines in chunks of about `CHUNK_BYTES`, each of which is valid only until the next one is requested.
   * The generator returns whether more events match.
   */
  readonly chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, { readonly hasMore: boolean }>;
}

/** The page of a store that has just begun. */
export function emptyPage(storeId: string): Page {
  const lines = new Uint8Array(0);
  const nothing = { events: 0, bytes: 0 };
  return { storeId, head: 0, whole: { lines, events: 0, ...END }, handedOut: nothing, chunks: noChunks() };
}

const END = { hasMore: false };

// deno-lint-ignore require-yield -- there are no lines
async function* noChunks(): Page["chunks"] {
  return END;
}

/** True when no event matches. */
export function isEmptyPage({ whole }: Page): boolean {
  return whole !== undefined && whole.lines.length === 0 && !whole.hasMore;
}

/** The store was replaced since the page was begun: the response ends without a trailer, and nothing has failed. */
export class StoreChanged extends NoReply {
  override readonly name = "StoreChanged";
}

/**
 * The smallest buffer that is released early. The transport does not join such a large one with other pieces, so it
 * does not hold on to it.
 */
const RELEASED_BYTES_MIN = 64 * 1024 + 1;

/**
 * Begins a page. It is read as a series of short reads, each in its own transaction on any free reader. So a slow
 * client holds neither a connection nor a snapshot. Events never change, so together the reads show the store as the
 * first of them saw it.
 * @param reads the source of the chunks; they are prefetched if it can do that
 * @param client the page ends with ClientDisconnected at the next chunk after the client has disconnected
 */
export async function openPage(reads: ChunkSource, request: ReadRequest, client: Client): Promise<Page> {
  let chunk = await reads.chunk({ ...request, head: undefined }, client);
  const { storeId, head } = chunk;
  let next = requestAfter({ ...request, head }, chunk);
  // Until there is a line, an error can still be answered.
  while (chunk.events === 0 && chunk.end === false) {
    if (client.disconnected.aborted) throw new ClientDisconnected();
    chunk = await reads.chunk(next, client);
    if (isOther(chunk, { storeId, head })) return await openPage(reads, request, client);
    next = requestAfter(next, chunk);
  }
  const { lines, events, end } = chunk;
  const whole = end === false ? undefined : { lines, events, hasMore: end.hasMore };
  const handedOut = { events: 0, bytes: 0 };
  return {
    storeId,
    head,
    whole,
    handedOut,
    chunks: chunksOf({ reads, first: chunk, next, client, handedOut }),
  };
}

/** True when a part cannot belong to a page: it is from another store, or from one that ends before the page. */
function isOther(part: StoreState, page: StoreState): boolean {
  return part.storeId !== page.storeId || part.head < page.head;
}

interface BegunPage {
  readonly reads: ChunkSource;
  readonly first: Chunk;
  readonly next: NextRequest;
  readonly client: Client;
  readonly handedOut: { events: number; bytes: number };
}

/*
 * Do not create a generator function for each page. The runtime makes an object type for each one that is called.
 * Until the next full collection, that type keeps everything alive that the function can see.
 */
async function* chunksOf({ reads, first, next, client, handedOut }: BegunPage): Page["chunks"] {
  for await (const part of followingChunks(reads, first, next, client)) {
    const { lines, events, end } = part;
    if (isOther(part, first)) {
      throw new StoreChanged("the store was reset, or replaced by an earlier state, while it was read");
    }
    handedOut.events += events;
    handedOut.bytes += lines.length;
    if (lines.length > 0) yield lines;
    if (end !== false) return end;
    // By now its bytes have been sent. Release them at once: when the garbage collector did it, the chunks that 50
    // readers had sent took 50 MB.
    if (lines.length >= RELEASED_BYTES_MIN) releaseBytes(lines);
    if (client.disconnected.aborted) throw new ClientDisconnected();
  }
  throw new Error("a page ended without its end");
}
