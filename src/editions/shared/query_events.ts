import { openPage, type Page } from "../../core/page_reader.ts";
import type { Reply } from "../../http/exchange.ts";
import type { Route } from "../../http/router.ts";
import { parseJson } from "../../wire/json.ts";
import { decodeReadRequest } from "../../wire/read_request.ts";
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
      const end = reads?.begin();
      try {
        const page = await openPage((chunk) => host.store.readChunk(chunk), request);
        return pageReply(page, end);
      } catch (error) {
        end?.();
        throw error;
      }
    },
  };
}

function pageReply(page: Page, onEnd: (() => void) | undefined): Reply {
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
