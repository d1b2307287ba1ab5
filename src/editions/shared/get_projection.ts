import type { Reply } from "../../http/exchange.ts";
import { errorReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import { Refusal } from "../../model/errors.ts";
import type { ProjectionKey } from "../../model/projection.ts";
import type { StoredProjection } from "../../store/projections.ts";
import type { EditionHost } from "../edition.ts";
import { NO_STORE, STORE_HEADER, VERSION_HEADER } from "./headers.ts";
import type { ReadsInFlight } from "./reads_in_flight.ts";

/** `GET /projections/{type}/{id}`: one committed projection, its payload exactly as it was written. */
export function getProjection(host: EditionHost, reads?: ReadsInFlight): Route {
  return {
    method: "GET",
    path: "/projections/:type/:id",
    readsBody: false,
    handle: ({ segments: [type, id] }) => committedProjection(host, { type: type!, id: id! }, reads),
  };
}

/** One committed projection, counted as a read in flight. */
export async function committedProjection(
  { store }: EditionHost,
  key: ProjectionKey,
  reads: ReadsInFlight | undefined,
): Promise<Reply> {
  const end = reads?.begin();
  try {
    const { storeId, projection } = await store.readProjection(key);
    return projectionReply(storeId, projection);
  } finally {
    end?.();
  }
}

/** The answer that carries a projection, or `404` when there is none. */
export function projectionReply(storeId: string, projection: StoredProjection | undefined): Reply {
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
}
