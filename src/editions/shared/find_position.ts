import { jsonReply } from "../../http/replies.ts";
import { getRoute, type Route } from "../../http/router.ts";
import { decodeMoment, safeMicros } from "../../wire/moment.ts";
import { invalid } from "../../wire/invalid.ts";
import type { EditionHost } from "../edition.ts";
import { NOT_CACHED, STORE_HEADER } from "./headers.ts";
import type { ReadsInFlight } from "./reads_in_flight.ts";

const decoder = new TextDecoder();

/** `GET /position?time=`: the position before the first event whose time is not before the given one. */
export function findPositionRoute({ views }: EditionHost, reads: ReadsInFlight): Route {
  return getRoute("read", "/position", async (request) => {
    // In a query string, the plus of an offset is a space.
    const time = new URLSearchParams(request.query).get("time")?.replace(/ (?=\d\d:\d\d$)/, "+");
    if (time === undefined) throw invalid("", "time is missing: /position?time=2026-11-20T19:07:36Z");
    const fromMicros = safeMicros(decodeMoment(time, "", "time"));
    const range = { fromMicros, beforeMicros: Number.MAX_SAFE_INTEGER };
    using _read = reads.begin("events");
    const wanted = { query: "every", afterSequence: 0, time: range, limit: 1 } as const;
    const { storeId, head, chunks } = await views.of(request.access).page(wanted, request);
    let afterSequence = head;
    for await (const line of chunks) {
      afterSequence = JSON.parse(decoder.decode(line)).sequence - 1;
    }
    const headers = { [STORE_HEADER]: storeId, ...NOT_CACHED };
    return jsonReply(200, { store: storeId, afterSequence }, headers);
  });
}
