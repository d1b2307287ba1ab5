import { VERSION } from "../../config/version.ts";
import { startHourlyOptimize } from "../../core/hourly_optimize.ts";
import { METRICS_CONTENT_TYPE } from "../../core/metrics.ts";
import { jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import type { Edition, EditionHost } from "../edition.ts";
import { getProjection } from "../shared/get_projection.ts";
import { NO_STORE } from "../shared/headers.ts";
import { profilingRoutes } from "../shared/profiling.ts";
import { queryEvents } from "../shared/query_events.ts";
import { ReadsInFlight } from "../shared/reads_in_flight.ts";
import { turnRoute } from "../shared/turns.ts";
import { debugSnapshot } from "./debug_snapshot.ts";
import { postWrite } from "./post_write.ts";
import { WriteMetrics } from "./write_metrics.ts";

/** Edition A: one request, `POST /write`, carries events, conditions and projection changes. */
export const editionA: Edition = {
  literals: new Map([["*", "every"]]),
  queueLimit: (settings) => ({ waitingMax: settings.maxQueuedWrites, fullCode: "WriteQueueFull" }),
  bodyLimit: ({ maxRequestBodySize }) => ({
    bytesMax: maxRequestBodySize,
    message: `request body exceeds maxRequestBodySize (${maxRequestBodySize} bytes)`,
  }),
  open(host) {
    const endOptimize = startHourlyOptimize(host.queue, host.store, host.reportFailure);
    return { routes: routesOf(host), close: endOptimize };
  },
};

function routesOf(host: EditionHost): Route[] {
  const { store, queue } = host;
  const reads = new ReadsInFlight();
  const metrics = new WriteMetrics();
  return [
    queryEvents(host, reads),
    postWrite(host, metrics),
    getProjection(host, reads),
    turnRoute(
      host,
      "DELETE",
      "/projections/:type",
      "projections",
      ({ segments: [type] }) => store.deleteProjections(type),
    ),
    turnRoute(host, "DELETE", "/projections", "projections", () => store.deleteProjections(undefined)),
    get("/health", async () => {
      await store.ping();
      return jsonReply(200, { status: "ok", version: VERSION }, NO_STORE);
    }),
    get("/metrics", () => ({
      status: 200,
      headers: { "Content-Type": METRICS_CONTENT_TYPE, ...NO_STORE },
      body: new TextEncoder().encode(metrics.text(queue)),
    })),
    get("/debug", () => jsonReply(200, debugSnapshot(host, reads), NO_STORE)),
    ...(host.settings.devMode ? developmentRoutes(host) : []),
  ];
}

function developmentRoutes(host: EditionHost): Route[] {
  return [turnRoute(host, "POST", "/reset", "reset", () => host.store.reset()), ...profilingRoutes()];
}

function get(path: string, handle: Route["handle"]): Route {
  return { method: "GET", path, readsBody: false, handle };
}
