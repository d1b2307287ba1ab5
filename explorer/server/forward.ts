import { failureOf } from "../../client/failures.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import type { Transport, TransportRequest } from "../../client/transport/transport.ts";
import { unixTransport } from "../../client/transport/unix_transport.ts";
import type { StoreAddress } from "./explorer_options.ts";
import { jsonReply, plainReply, replyWith } from "./replies.ts";

/** Larger than any request made by hand. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/** The only header that the explorer forwards to the store: the ticket of edition C. */
const TICKET = "x-service-ticket";

/** The headers of the store that the explorer forwards to the page. */
const PASSED_BACK = ["x-service-store", "x-service-head", "x-service-version", "x-service-error", "allow"];

/** Forwards requests of the page to the store. */
export interface StoreForwarding {
  /** The address of the store for people, without the token. */
  readonly place: string;
  /** Forwards the request with another path and the token, and streams the answer. */
  forward(request: Request, path: string): Promise<Response>;
}

/** @throws TypeError when the address is invalid, or a header cannot carry the token */
export function forwardingTo(store: StoreAddress): StoreForwarding {
  const place = addressOf(store);
  // Otherwise the error of a request would show the token to the browser.
  if (/[^\x20-\x7e]/.test(store.token ?? "")) throw new TypeError("the token is not printable ASCII");
  const transport = store.socketPath === undefined
    ? fetchTransport(place, store.fetchOptions)
    : unixTransport(store.socketPath);
  const own: Record<string, string> = store.token === undefined
    ? {}
    : { authorization: `Bearer ${store.token}` };
  return {
    place,
    async forward(request, path) {
      const body = await bodyOf(request);
      if (body instanceof Response) return body;
      const ticket = request.headers.get(TICKET);
      const headers = { ...own, ...ticket === null ? {} : { [TICKET]: ticket } };
      const leaving = new AbortController();
      const leave = (): void => leaving.abort();
      // Only until the answer begins: afterwards the runtime cancels the stream of its body. (The runtime also aborts
      // this signal after a complete answer, and warns if a listener is left then.)
      request.signal.addEventListener("abort", leave);
      try {
        const sent = { method: request.method, path, headers, body, signal: leaving.signal };
        return await answerTo(transport, place, sent, leave);
      } finally {
        request.signal.removeEventListener("abort", leave);
      }
    },
  };
}

function addressOf({ url, socketPath }: StoreAddress): string {
  if (socketPath !== undefined) return socketPath;
  if (url === undefined) throw new TypeError("the explorer needs the url or the socketPath of a store");
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) {
    throw new TypeError(`the url of the store is not one like http://127.0.0.1:8085`);
  }
  return parsed.href.replace(/\/+$/, "");
}

/** The body as text, undefined if there is none, or the rejection of a large one. */
async function bodyOf(request: Request): Promise<string | undefined | Response> {
  if (request.body === null) return undefined;
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of request.body) {
    bytes += piece.length;
    if (bytes > BODY_BYTES_MAX) return plainReply(413, `a body is at most ${BODY_BYTES_MAX} bytes`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

async function answerTo(
  transport: Transport,
  place: string,
  request: TransportRequest,
  leave: () => void,
): Promise<Response> {
  try {
    const reply = await transport.send(request);
    if (reply.status >= 300 && reply.status < 400) {
      leave();
      const message = `the store at ${place} sends its clients to ${reply.header("location")}`;
      return jsonReply(502, { error: "Redirected", message });
    }
    const headers: Record<string, string> = {};
    for (const name of PASSED_BACK) {
      const value = reply.header(name);
      if (typeof value === "string") headers[name] = value;
    }
    const body = reply.status === 204 ? null : bodyOfPieces(reply.pieces(), leave);
    return replyWith(reply.status, "text/plain; charset=utf-8", body, headers);
  } catch (error) {
    const message = `the store at ${place} does not answer: ${failureOf(error).reason}`;
    return jsonReply(502, { error: "Unreachable", message });
  }
}

/** @param leave called when the browser disconnects before the end */
function bodyOfPieces(pieces: AsyncIterable<Uint8Array>, leave: () => void): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: leave,
  });
}
