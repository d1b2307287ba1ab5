import { openPage, type Page } from "../../core/page_reader.ts";
import type { Reply } from "../../http/exchange.ts";
import type { Route } from "../../http/router.ts";
import { parseJson } from "../../wire/json.ts";
import { decodeReadRequest, type ReadRequest } from "../../wire/read_request.ts";
import type { EditionHost } from "../edition.ts";
import { NO_STORE, STORE_HEADER } from "./headers.ts";
import type { ReadsInFlight } from "./reads_in_flight.ts";

/** `QUERY /events`: a page of committed events and the trailer `hasMore`. */
export function queryEvents(host: EditionHost, reads?: ReadsInFlight): Route {
  return {
    method: "QUERY",
    path: "/events",
    readsBody: true,
    async handle(call) {
      const request = decodeReadRequest(parseJson(await call.body()), host.literals, host.settings);
      return await committedPage(host, request, reads);
    },
  };
}

/** A page of committed events, counted as a read in flight until its last line is out. */
export async function committedPage(
  { store }: EditionHost,
  request: ReadRequest,
  reads: ReadsInFlight | undefined,
): Promise<Reply> {
  const end = reads?.begin();
  try {
    return pageReply(await openPage((chunk) => store.readChunk(chunk), request), end);
  } catch (error) {
    end?.();
    throw error;
  }
}

/** The answer that carries a page; `onEnd` is called when its last line is out or it was given up. */
export function pageReply(page: Page, onEnd?: () => void): Reply {
  return {
    status: 200,
    headers: { "Content-Type": "application/x-ndjson", [STORE_HEADER]: page.storeId, ...NO_STORE },
    body: lines(page, onEnd),
  };
}

async function* lines(
  page: Page,
  onEnd: (() => void) | undefined,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  try {
    const { hasMore } = yield* page.chunks;
    yield new TextEncoder().encode(`${JSON.stringify({ hasMore })}\n`);
  } finally {
    onEnd?.();
  }
}
