import { VERSION } from "../../config/version.ts";
import { jsonReply, textReply } from "../../http/replies.ts";
import { getRoute, type Route } from "../../http/router.ts";
import type { Client } from "../../store/api/store.ts";
import type { EditionHost } from "../edition.ts";
import type { DecodedRead } from "./decoding/decoded_read.ts";
import { findPositionRoute } from "./find_position.ts";
import { NOT_CACHED, STORE_HEADER } from "./headers.ts";
import { healthRoute } from "./health.ts";
import { openapiRoute } from "./openapi_route.ts";
import { profilingRoutes } from "./profiling.ts";
import { readEventsRoute } from "./read_events.ts";
import { listProjectionsRoute, readProjectionRoute } from "./read_projection.ts";
import { proofRoute } from "./proof_route.ts";
import { ReadsInFlight } from "./reads_in_flight.ts";
import { subjectRoutes } from "./subject_routes.ts";
import { whoamiRoute } from "./whoami.ts";
import { deleteProjectionsRoutes } from "./write_lock_routes.ts";

/** The parts in which the common routes differ between editions. */
export interface Differences {
  /** Decodes the body of `QUERY /events`. @throws ApiError InvalidRequest */
  readonly decodeRead: (body: Uint8Array<ArrayBuffer>, client: Client) => Promise<DecodedRead>;
  /** The query for all events. */
  readonly every: string;
  /** The OpenAPI document, with marks in place of limits. */
  readonly openapi: string;
  /** The document of `GET /health` while the database can be reached. */
  readonly health: () => object;
  /** @throws ApiError `Paused` while no events may be appended */
  readonly assertNotPaused: () => void;
  /** True if a bulk delete that waits is cancelled when its client disconnects. */
  readonly deletesLeaveWithClient: boolean;
}

/** The routes that every edition has, and the count of their reads in flight. */
export interface CommonRoutes {
  readonly readEvents: Route;
  readonly readProjection: Route;
  readonly deleteProjections: readonly Route[];
  /** The routes that are the same in every edition. */
  readonly same: readonly Route[];
  readonly reads: ReadsInFlight;
}

export function commonRoutes(host: EditionHost, differences: Differences): CommonRoutes {
  const { decodeRead, every, openapi, health, assertNotPaused, deletesLeaveWithClient } = differences;
  const reads = new ReadsInFlight(host.store.feed);
  return {
    readEvents: readEventsRoute(host, decodeRead, reads),
    readProjection: readProjectionRoute(host, reads),
    deleteProjections: deleteProjectionsRoutes(host, deletesLeaveWithClient),
    same: [
      rootRoute(host),
      listProjectionsRoute(host, reads),
      findPositionRoute(host, reads),
      catalogRoute(host, reads),
      healthRoute(host, health),
      whoamiRoute(host),
      openapiRoute(host, openapi),
      conflictsRoute(host, every),
      ...host.settings.subjects.length > 0
        ? [proofRoute(host, reads), ...subjectRoutes(host, reads, assertNotPaused)]
        : [],
      ...host.settings.devMode ? profilingRoutes() : [],
    ],
    reads,
  };
}

/** `GET /debug/conflicts`: the last writes that were rejected. `/debug` itself shows nothing of requests. */
function conflictsRoute({ store }: EditionHost, every: string): Route {
  return getRoute(
    "operate",
    "/debug/conflicts",
    () => jsonReply(200, store.counts.conflicts.document(every), NOT_CACHED),
  );
}

/** `GET /catalog`: how many events there are of each type, and with each name of identifier. */
function catalogRoute({ views }: EditionHost, reads: ReadsInFlight): Route {
  return getRoute("read", "/catalog", async ({ access }) => {
    using _read = reads.begin("events");
    const document = await views.of(access).catalog();
    return jsonReply(200, document, { [STORE_HEADER]: document.store, ...NOT_CACHED });
  });
}

/** `GET /` says what the server is, and where to look. */
function rootRoute({ settings }: EditionHost): Route {
  return getRoute("none", "/", () => {
    const { edition } = settings;
    const line = `Event store ${VERSION}, edition ${edition}. Its state: /health, /metrics, /debug. ` +
      `Its interface: docs/edition-${edition.toLowerCase()}.md. Its events: eventstore-client explore.`;
    return textReply(200, line, NOT_CACHED);
  });
}
