import { VERSION } from "../../config/version.ts";
import type { Route } from "../../http/router.ts";
import { HOURLY_OPTIMIZE, startHourlyOptimize } from "../../write_queue/hourly_optimize.ts";
import { type Edition, type EditionHost, requestBodyLimit } from "../edition.ts";
import { metricsRoute } from "../shared/common_metrics.ts";
import { commonRoutes } from "../shared/common_routes.ts";
import { debugRoute, queuePart, readPart } from "../shared/debug_parts.ts";
import { BodyDecoding } from "../shared/decoding/body_decoding.ts";
import { type WriteLockAction, writeLockRoute } from "../shared/write_lock_routes.ts";
import openapi from "./openapi.json" with { type: "text" };
import { postWrite } from "./post_write.ts";
import { WriteMetrics } from "./write_metrics.ts";
import { WRITE_DECODERS, type WriteDecoding } from "./write_request.ts";

// The same as the first example of the README: a reader who follows both gets the answers that the README prints.
const COURSE = [{ name: "course", value: "c1" }];
const FIRST_WRITE = {
  conditions: [{ failIfEventsMatch: [{ types: ["CourseDefined"], identifiers: COURSE }] }],
  events: [{ type: "CourseDefined", identifiers: { course: "c1" }, payload: '{"capacity":30}' }],
};
const FIRST_READ = { query: [{ identifiers: COURSE }] };

/** Edition A: one request, `POST /write`, carries events, conditions and projection changes. */
export const editionA: Edition = {
  servers: "shared",
  ownKind: HOURLY_OPTIMIZE,
  queueLimit: (settings) => ({ waitingMax: settings.maxQueuedWrites, fullCode: "WriteQueueFull" }),
  bodyLimit: requestBodyLimit,
  firstSteps: (curl, url) => [
    `${curl} ${url}/write -d '${JSON.stringify(FIRST_WRITE)}'`,
    `${curl} -X QUERY ${url}/events -d '${JSON.stringify(FIRST_READ)}'`,
  ],
  open(host) {
    const endOptimize = startHourlyOptimize(host.queue, host.store.writer, host.reportFailure);
    const decoding = new BodyDecoding({
      decoders: WRITE_DECODERS,
      worker: new URL("./write_decoding_worker.ts", import.meta.url),
      limits: host.settings,
    });
    return {
      routes: routesOf(host, decoding),
      close() {
        endOptimize();
        decoding.close();
      },
    };
  },
};

function routesOf(host: EditionHost, decoding: WriteDecoding): Route[] {
  const metrics = new WriteMetrics();
  const common = commonRoutes(host, {
    openapi,
    decodeRead: (body, client) => decoding.decode("read", body, client),
    every: "*",
    health: () => ({ status: "ok", version: VERSION }),
    assertNotPaused: () => {},
    deletesLeaveWithClient: true,
  });
  return [
    ...common.same,
    common.readEvents,
    postWrite(host, decoding, metrics),
    common.readProjection,
    ...common.deleteProjections,
    metricsRoute(host, () => metrics.text(host.queue), common.reads),
    debugRoute(() => ({
      write: queuePart(host.queue, HOURLY_OPTIMIZE),
      read: readPart(common.reads, host.store.reads),
    })),
    ...(host.settings.devMode ? [resetRoute(host)] : []),
  ];
}

function resetRoute(host: EditionHost): Route {
  const action: WriteLockAction = {
    kind: "reset",
    right: "develop",
    leavesWithClient: true,
    act: () => host.store.writer.reset(),
  };
  return writeLockRoute(host, "POST", "/reset", action);
}
