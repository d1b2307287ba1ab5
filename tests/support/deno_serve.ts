import type { Address } from "../../src/model/address.ts";
import { ClientDisconnected } from "../../src/model/errors.ts";
import { TIMEOUTS } from "../../src/http/transport/timeouts.ts";
import {
  BodyTooLarge,
  type Handler,
  type HttpRequest,
  isStream,
  type Reply,
  type Transport,
} from "../../src/http/exchange.ts";

/*
 * The transport on `Deno.serve`. No other file knows it. Its limits in the version in use:
 *
 * It does not see that a client disconnects whose body came in several packets. It cannot cut a connection, not even
 * the one of a stalled reader: it gives up the stream, and with it the memory. Malformed HTTP gets its empty `400`. A
 * request that must not be answered gets a `500` that is cut short after its head.
 */

/** Starts to accept connections. */
export function serveWithDeno(listen: Address, handler: Handler): Transport {
  const address = listen.transport === "unix"
    ? { path: listen.path }
    : { hostname: listen.hostname, port: listen.port };
  const server = Deno.serve(
    { ...address, onListen: () => {}, onError: cutShort },
    async (request) => await toResponse(await handler(toHttpRequest(request))),
  );
  return {
    async close(graceMilliseconds) {
      // Aborting the server while it shuts down would crash it. Connections that are still open after the grace
      // period end with the process.
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise((resolve) => timer = setTimeout(resolve, graceMilliseconds));
      await Promise.race([server.shutdown(), late]);
      clearTimeout(timer);
    },
  };
}

function toHttpRequest(request: Request): HttpRequest {
  return {
    method: request.method,
    target: rawTarget(request),
    header: (name) => request.headers.get(name) ?? undefined,
    body: (bytesMax) => readBody(request, bytesMax),
    discardBody: async (bytesMax) => void await readBody(request, bytesMax),
    releaseBody: () => {},
    disconnected: request.signal,
  };
}

/**
 * The function does not parse the URL that the runtime puts together: after the authority it is what the client sent.
 */
function rawTarget(request: Request): string {
  const start = request.url.indexOf("://") + 3;
  const host = request.headers.get("host") ?? "";
  const authority = host !== "" && request.url.startsWith(host, start);
  const path = authority ? start + host.length : request.url.indexOf("/", start);
  return request.url.slice(path);
}

async function readBody(request: Request, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(request.headers.get("content-length"));
  if (announced > bytesMax) throw new BodyTooLarge();
  if (request.body === null) return new Uint8Array();
  try {
    // Reads a body of known length in one step. Nearly every client sends one.
    return announced > 0 ? await request.bytes() : await readPieces(request.body, bytesMax);
  } catch (error) {
    throw error instanceof BodyTooLarge ? error : new ClientDisconnected();
  }
}

async function readPieces(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new BodyTooLarge();
    pieces.push(piece);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

async function toResponse(reply: Reply): Promise<Response> {
  const { status, headers, body } = reply;
  return new Response(isStream(body) ? await streamOf(body) : body, { status, headers });
}

/** Bytes handed over at once; each such piece has the time of one line to go out. */
const PIECE_BYTES_MAX = 64 * 1024;

/**
 * A stream that asks for the next piece only when the last one went out, and gives up when that takes long.
 * The first piece is fetched at once: a generator that was never started could not clean up after itself.
 */
async function streamOf(
  body: AsyncIterable<Uint8Array<ArrayBuffer>>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const pieces = inPieces(body);
  let first: IteratorResult<Uint8Array<ArrayBuffer>, void> | undefined = await pieces.next();
  let stalled: ReturnType<typeof setTimeout> | undefined;
  return new ReadableStream({
    async pull(controller) {
      clearTimeout(stalled);
      try {
        const { done, value } = first ?? await pieces.next();
        first = undefined;
        if (done) return controller.close();
        controller.enqueue(value);
        stalled = setTimeout(() => {
          controller.error(new Error("the client has stopped reading"));
          pieces.return(undefined);
        }, TIMEOUTS.line * 1000);
      } catch (error) {
        controller.error(error);
      }
    },
    async cancel() {
      clearTimeout(stalled);
      await pieces.return(undefined);
    },
  }, { highWaterMark: 0 });
}

async function* inPieces(
  body: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES_MAX) {
      yield chunk.subarray(start, start + PIECE_BYTES_MAX);
    }
  }
}

/** The handler rejects only for a request that must not be answered: this is as close as the runtime lets us. */
function cutShort(): Response {
  const body = new ReadableStream({ start: (controller) => controller.error(new Error("no reply")) });
  return new Response(body, { status: 500 });
}
