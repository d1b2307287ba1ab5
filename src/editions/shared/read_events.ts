import type { Reply } from "../../http/exchange.ts";
import type { Route, RoutedRequest } from "../../http/router.ts";
import type { Page } from "../../store/core/open_page.ts";
import type { Client } from "../../store/api/store.ts";
import type { EditionHost } from "../edition.ts";
import { type DecodedRead, isAwaited } from "./decoding/decoded_read.ts";
import { HEAD_HEADER, NOT_CACHED, STORE_HEADER } from "./headers.ts";
import type { ReadInFlight, ReadsInFlight } from "./reads_in_flight.ts";

/**
 * `QUERY /events`: a page of committed events and the trailer `hasMore`, with the head of the store. If the client
 * asks to wait, the page comes as soon as it is not empty.
 */
export function readEventsRoute(
  { views }: EditionHost,
  decode: (body: Uint8Array<ArrayBuffer>, client: Client) => Promise<DecodedRead>,
  reads: ReadsInFlight,
): Route {
  return {
    method: "QUERY",
    path: "/events",
    right: "read",
    body: "handled",
    async handle(request) {
      const wanted = await decode(await request.body(), request);
      using held = new DisposableStack();
      const read = held.use(reads.begin("events"));
      const onWaiting = (): void => {
        read.wait();
        request.releaseBody();
      };
      const view = views.of(request.access);
      const page = isAwaited(wanted)
        ? await view.awaitedPage(wanted, whileValid(request), onWaiting)
        : await view.page(wanted, request);
      read.go();
      const headers = { ...pageHeaders(page.storeId), [HEAD_HEADER]: String(page.head) };
      return wholePageReply(page, headers, read) ?? streamedReply(page, headers, read, held.move());
    },
  };
}

/** The client of a read that waits. When its token is no longer valid, it counts as disconnected. */
function whileValid(request: RoutedRequest): Client {
  const { gone } = request.access;
  return gone === undefined ? request : { disconnected: AbortSignal.any([request.disconnected, gone]) };
}

/** A page up to this size is sent in one write. */
const WHOLE_BYTES_MAX = 60 * 1024;

const [MORE, NO_MORE] = [true, false].map((hasMore) =>
  new TextEncoder().encode(`${JSON.stringify({ hasMore })}\n`)
) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];

/** Returns the reply for a short page that has been read to its end, without the overhead of a stream. */
function wholePageReply({ whole }: Page, headers: Reply["headers"], read: ReadInFlight): Reply | undefined {
  if (whole === undefined || whole.lines.length > WHOLE_BYTES_MAX) return undefined;
  const { lines, events, hasMore } = whole;
  read.handedOut = { events, bytes: lines.length };
  return { status: 200, headers, body: [lines, trailerLine(hasMore)] };
}

function streamedReply(page: Page, headers: Reply["headers"], read: ReadInFlight, held: Disposable): Reply {
  read.handedOut = page.handedOut;
  return pageReply(page, held, headers);
}

/** Returns the reply for a page. `held` is disposed of when the last line was sent or the client abandoned the page. */
export function pageReply(page: Page, held?: Disposable, headers = pageHeaders(page.storeId)): Reply {
  return { status: 200, headers, body: lines(page, held) };
}

async function* lines(
  page: Page,
  held: Disposable | undefined,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  using _held = held;
  const { hasMore } = yield* page.chunks;
  yield trailerLine(hasMore);
}

export function pageHeaders(storeId: string): Reply["headers"] {
  return { "Content-Type": "application/x-ndjson", [STORE_HEADER]: storeId, ...NOT_CACHED };
}

function trailerLine(hasMore: boolean): Uint8Array<ArrayBuffer> {
  return hasMore ? MORE : NO_MORE;
}
