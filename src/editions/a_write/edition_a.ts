import { VERSION } from "../../config/version.ts";
import { startHourlyOptimize } from "../../core/hourly_optimize.ts";
import { METRICS_CONTENT_TYPE } from "../../core/metrics.ts";
import { jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import type { Edition, EditionHost } from "../edition.ts";
import { requestBodyLimit } from "../shared/body_limit.ts";
import { getProjection } from "../shared/get_projection.ts";
import { getRoute } from "../shared/get_route.ts";
import { NO_STORE } from "../shared/headers.ts";
import { profilingRoutes } from "../shared/profiling.ts";
import { queryEvents } from "../shared/query_events.ts";
import { ReadsInFlight } from "../shared/reads_in_flight.ts";
import { deleteProjectionsRoutes, turnRoute } from "../shared/turns.ts";
import { debugSnapshot } from "./debug_snapshot.ts";
import { postWrite } from "./post_write.ts";
import { WriteMetrics } from "./write_metrics.ts";

/** Edition A: one request, `POST /write`, carries events, conditions and projection changes. */
export const editionA: Edition = {
  literals: new Map([["*", "every"]]),
  queueLimit: (settings) => ({ waitingMax: settings.maxQueuedWrites, fullCode: "WriteQueueFull" }),
  bodyLimit: requestBodyLimit,
  firstSteps: (curl, url) => [
    `${curl} ${url}/write -d '{"events":[{"type":"CourseDefined","identifiers":{"course":"c1"},"payload":"{}"}]}'`,
    `${curl} -X QUERY ${url}/events -d '{"query":[{"identifiers":[{"name":"course","value":"c1"}]}]}'`,
  ],
  open(host) {
    const endOptimize = startHourlyOptimize(host.queue, host.store, host.reportFailure);
    return { routes: routesOf(host), close: endOptimize };
  },
};

function routesOf(host: EditionHost): Route[] {
  const reads = new ReadsInFlight();
  const metrics = new WriteMetrics();
  return [
    queryEvents(host, reads),
    postWrite(host, metrics),
    getProjection(host, reads),
    ...deleteProjectionsRoutes(host, { leavesWithClient: true }),
    getRoute("/health", async () => {
      await host.store.ping();
      return jsonReply(200, { status: "ok", version: VERSION }, NO_STORE);
    }),
    getRoute("/metrics", () => ({
      status: 200,
      headers: { "Content-Type": METRICS_CONTENT_TYPE, ...NO_STORE },
      body: new TextEncoder().encode(metrics.text(host.queue)),
    })),
    getRoute("/debug", () => jsonReply(200, debugSnapshot(host, reads), NO_STORE)),
    ...(host.settings.devMode ? developmentRoutes(host) : []),
  ];
}

function developmentRoutes(host: EditionHost): Route[] {
  const reset = { kind: "reset", leavesWithClient: true, act: () => host.store.reset() };
  return [turnRoute(host, "POST", "/reset", reset), ...profilingRoutes()];
}
