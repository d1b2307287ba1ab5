import type { Reply } from "../../http/exchange.ts";
import type { Route } from "../../http/router.ts";
import type { ReadRequest } from "../../model/read_request.ts";
import { openPage, type Page } from "../../store/open_page.ts";
import type { Client } from "../../store/store.ts";
import type { EditionHost } from "../edition.ts";
import { NOT_CACHED, STORE_HEADER } from "./headers.ts";
import type { ReadsInFlight } from "./reads_in_flight.ts";

/** `QUERY /events`: a page of committed events and the trailer `hasMore`. */
export function readEventsRoute(
  { store }: EditionHost,
  decode: (body: Uint8Array<ArrayBuffer>, client: Client) => Promise<ReadRequest>,
  reads: ReadsInFlight,
): Route {
  return {
    method: "QUERY",
    path: "/events",
    body: "handled",
    async handle(request) {
      const read = await decode(await request.body(), request);
      using counted = new DisposableStack();
      counted.use(reads.begin());
      const page = await openPage((chunk) => store.reads.chunk(chunk, request), read, request);
      return pageReply(page, counted.move());
    },
  };
}

/** The reply that carries a page; `held` is disposed of when its last line is out or it was abandoned. */
export function pageReply(page: Page, held?: Disposable): Reply {
  return {
    status: 200,
    headers: { "Content-Type": "application/x-ndjson", [STORE_HEADER]: page.storeId, ...NOT_CACHED },
    body: lines(page, held),
  };
}

async function* lines(
  page: Page,
  held: Disposable | undefined,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  using _held = held;
  const { hasMore } = yield* page.chunks;
  yield new TextEncoder().encode(`${JSON.stringify({ hasMore })}\n`);
}
