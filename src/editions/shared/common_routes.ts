import { VERSION } from "../../config/version.ts";
import { jsonReply, textReply } from "../../http/replies.ts";
import { getRoute, type Route } from "../../http/router.ts";
import type { Client } from "../../store/api/store.ts";
import type { EditionHost } from "../edition.ts";
import type { DecodedRead } from "./decoding/decoded_read.ts";
import { findPositionRoute } from "./find_position.ts";
import { NOT_CACHED, STORE_HEADER } from "./headers.ts";
import { healthRoute } from "./health.ts";
import { profilingRoutes } from "./profiling.ts";
import { readEventsRoute } from "./read_events.ts";
import { listProjectionsRoute, readProjectionRoute } from "./read_projection.ts";
import { ReadsInFlight } from "./reads_in_flight.ts";
import { deleteProjectionsRoutes } from "./write_lock_routes.ts";

/** The parts in which the common routes differ between editions. */
export interface Differences {
  /** Decodes the body of `QUERY /events`. @throws ApiError InvalidRequest */
  readonly decodeRead: (body: Uint8Array<ArrayBuffer>, client: Client) => Promise<DecodedRead>;
  /** The document of `GET /health` while the database can be reached. */
  readonly health: () => object;
  /** True if a bulk delete that waits is cancelled when its client disconnects. */
  readonly deletesLeaveWithClient: boolean;
}

/** The routes that every edition has, and the count of their reads in flight. */
export interface CommonRoutes {
  readonly readEvents: Route;
  readonly readProjection: Route;
  readonly listProjections: Route;
  readonly findPosition: Route;
  /** `GET /catalog`: how many events there are of each type, and with each name of identifier. */
  readonly catalog: Route;
  readonly deleteProjections: readonly Route[];
  readonly health: Route;
  /** `GET /` says what the server is, and where to look. */
  readonly root: Route;
  /** Empty unless in development mode. */
  readonly profiling: readonly Route[];
  readonly reads: ReadsInFlight;
}

export function commonRoutes(host: EditionHost, differences: Differences): CommonRoutes {
  const { decodeRead, health, deletesLeaveWithClient } = differences;
  const reads = new ReadsInFlight(host.store.feed);
  return {
    readEvents: readEventsRoute(host, decodeRead, reads),
    readProjection: readProjectionRoute(host, reads),
    listProjections: listProjectionsRoute(host, reads),
    findPosition: findPositionRoute(host, reads),
    catalog: catalogRoute(host, reads),
    deleteProjections: deleteProjectionsRoutes(host, deletesLeaveWithClient),
    health: healthRoute(host, health),
    root: rootRoute(host),
    profiling: host.settings.devMode ? profilingRoutes() : [],
    reads,
  };
}

function catalogRoute({ catalog }: EditionHost, reads: ReadsInFlight): Route {
  return getRoute("/catalog", async () => {
    using _read = reads.begin("events");
    const document = await catalog.document();
    return jsonReply(200, document, { [STORE_HEADER]: document.store, ...NOT_CACHED });
  });
}

function rootRoute({ settings }: EditionHost): Route {
  return getRoute("/", () => {
    const { edition } = settings;
    const line = `Event store ${VERSION}, edition ${edition}. Its state: /health, /metrics, /debug. ` +
      `Its interface: docs/edition-${edition.toLowerCase()}.md. Its events: eventstore-client explore.`;
    return textReply(200, line, NOT_CACHED);
  });
}
