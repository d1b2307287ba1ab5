import { errorReply } from "../../http/error_replies.ts";
import type { Reply } from "../../http/exchange.ts";
import { getRoute, type Route } from "../../http/router.ts";
import { ApiError } from "../../model/errors.ts";
import type { FoundProjection } from "../../store/api/store.ts";
import { decodeListRequest } from "../../wire/list_request.ts";
import type { EditionHost } from "../edition.ts";
import { NOT_CACHED, STORE_HEADER, VERSION_HEADER } from "./headers.ts";
import type { ReadsInFlight } from "./reads_in_flight.ts";

/** `GET /projections/{type}/{id}`: one committed projection, its payload exactly as it was written. */
export function readProjectionRoute({ views }: EditionHost, reads: ReadsInFlight): Route {
  return getRoute("read", "/projections/:type/:id", async (request) => {
    const [type, id] = request.segments;
    using _read = reads.begin("projection");
    return projectionReply(await views.of(request.access).projection({ type: type!, id: id! }, request));
  });
}

/** `GET /projections`: type, ID, version and size of projections, a line each, and the trailer `hasMore`. */
export function listProjectionsRoute({ views }: EditionHost, reads: ReadsInFlight): Route {
  return getRoute("read", "/projections", async (request) => {
    const wanted = decodeListRequest(request.query);
    using _read = reads.begin("projection");
    const { storeId, lines } = await views.of(request.access).projections(wanted, request);
    const headers = { "Content-Type": "application/x-ndjson", [STORE_HEADER]: storeId, ...NOT_CACHED };
    return { status: 200, headers, body: lines };
  });
}

/** Returns the reply for a projection, or `404` when there is none. */
export function projectionReply({ storeId, projection }: FoundProjection): Reply {
  const headers = { [STORE_HEADER]: storeId, ...NOT_CACHED };
  if (projection === undefined) return errorReply(new ApiError("ProjectionNotFound"), headers).reply;
  return {
    status: 200,
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      [VERSION_HEADER]: projection.version,
      ...headers,
    },
    body: projection.payload,
  };
}
