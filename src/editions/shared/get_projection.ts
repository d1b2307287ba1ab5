import { errorReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import { Refusal } from "../../model/errors.ts";
import type { EditionHost } from "../edition.ts";
import { NO_STORE, STORE_HEADER, VERSION_HEADER } from "./headers.ts";
import type { ReadsInFlight } from "./reads_in_flight.ts";

/** `GET /projections/{type}/{id}`: one committed projection, its payload exactly as it was written. */
export function getProjection(host: EditionHost, reads?: ReadsInFlight): Route {
  return {
    method: "GET",
    path: "/projections/:type/:id",
    readsBody: false,
    async handle({ segments: [type, id] }) {
      const end = reads?.begin();
      try {
        const { storeId, projection } = await host.store.readProjection({ type: type!, id: id! });
        const headers = { [STORE_HEADER]: storeId, ...NO_STORE };
        if (projection === undefined) return errorReply(new Refusal("ProjectionNotFound"), headers).reply;
        return {
          status: 200,
          headers: {
            "Content-Type": "text/plain; charset=utf-8",
            [VERSION_HEADER]: projection.version,
            ...headers,
          },
          body: projection.payload,
        };
      } finally {
        end?.();
      }
    },
  };
}
