import { VERSION } from "../../config/version.ts";
import { isInternal } from "../../http/error_replies.ts";
import { jsonReply } from "../../http/replies.ts";
import { getRoute, type Route } from "../../http/router.ts";
import type { Right } from "../../model/access.ts";
import { ApiError, NoReply } from "../../model/errors.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { type Outcome, throwIfFailed } from "../../store/api/outcome.ts";
import { nowMicros } from "../../time/clock.ts";
import { Admission } from "../../write_queue/admission.ts";
import { type Edition, requestBodyLimit } from "../edition.ts";
import { metricsRoute } from "../shared/common_metrics.ts";
import { commonRoutes } from "../shared/common_routes.ts";
import { debugRoute, queuePart, readPart } from "../shared/debug_parts.ts";
import { BodyDecoding } from "../shared/decoding/body_decoding.ts";
import { NOT_CACHED } from "../shared/headers.ts";
import { writeLockRoute } from "../shared/write_lock_routes.ts";
import openapi from "./openapi.json" with { type: "text" };
import type { EditionParts } from "./edition_parts.ts";
import { OpenTransactions } from "./open_transactions.ts";
import { Pause } from "./pause.ts";
import { pauseRoutes } from "./pause_routes.ts";
import { postProjections } from "./post_projections.ts";
import { Statistics } from "./statistics.ts";
import { TX_DECODERS } from "./tx_requests.ts";
import { txMetrics } from "./tx_metrics.ts";
import { txRoutes } from "./tx_routes.ts";

/** The kind of the refresh at startup. It differs from the kind of `POST /optimize`, which counts as a request. */
const FIRST_OPTIMIZE = "firstOptimize";

/** Edition B: optimistic transactions under `/tx`, kept in memory, checked and written at commit. */
export const editionB: Edition = {
  servers: "exclusive",
  ownKind: FIRST_OPTIMIZE,
  queueLimit: (settings) => ({ waitingMax: settings.maxQueuedWrites, fullCode: "WriteQueueFull" }),
  bodyLimit: requestBodyLimit,
  firstSteps: (curl, url) => [
    `TX=$(${curl} -s -X POST ${url}/tx | cut -d '"' -f 4)`,
    `${curl} -X QUERY ${url}/tx/$TX/events -d '{"query":[{"identifiers":[{"name":"course","value":"c1"}]}]}'`,
    `${curl} ${url}/tx/$TX/events -d '{"events":[{"type":"CourseDefined","identifiers":{"course":"c1"},"payload":"{}"}]}'`,
    `${curl} -X POST ${url}/tx/$TX/commit`,
    `${curl} -X QUERY ${url}/events -d '{"query":"all"}'`,
  ],
  open(host) {
    const statistics = new Statistics(nowMicros());
    const { settings: { txIdleTimeout: idleSeconds, ...settings } } = host;
    const transactions = new OpenTransactions({ ...settings, idleSeconds }, statistics);
    const pause = new Pause(host.store.opened.pausedSinceMicros, nowMicros());
    const decoding = new BodyDecoding({
      decoders: TX_DECODERS,
      worker: new URL("./tx_decoding_worker.ts", import.meta.url),
      limits: host.settings,
    });
    const edition = { host, statistics, transactions, pause, decoding };
    const refresh = host.queue.alone(new Admission(FIRST_OPTIMIZE), () => optimize(edition));
    refresh.then(throwIfFailed).catch(host.reportFailure);
    return {
      routes: routesOf(edition).map((route) => counted(route, statistics)),
      close() {
        transactions.close();
        decoding.close();
      },
    };
  },
};

function routesOf(edition: EditionParts): Route[] {
  const { host, statistics, transactions, pause, decoding } = edition;
  const common = commonRoutes(host, {
    openapi,
    decodeRead: (body, client) => decoding.decode("read", body, client),
    every: "all",
    health: () => ({ status: "ok", paused: pause.state === "paused", version: VERSION }),
    assertNotPaused: () => {
      if (pause.state !== "normal") throw new ApiError("Paused");
    },
    deletesLeaveWithClient: false,
  });
  return [
    ...common.same,
    common.readEvents,
    ...txRoutes(edition, common.reads),
    postProjections(edition),
    common.readProjection,
    ...common.deleteProjections,
    ...pauseRoutes(edition),
    stayingRoute(edition, "optimize", "operate", () => optimize(edition)),
    getRoute(
      "operate",
      "/stats",
      () => jsonReply(200, statistics.document(pause, transactions.count), NOT_CACHED),
    ),
    metricsRoute(host, () => txMetrics(edition), common.reads),
    debugRoute(() => ({
      pause: { state: pause.state, since: formatTimestamp(pause.sinceMicros) },
      transactions: { open: transactions.count },
      write: queuePart(host.queue, FIRST_OPTIMIZE),
      read: readPart(common.reads, host.store.reads),
    })),
    ...(host.settings.devMode ? [stayingRoute(edition, "reset", "develop", () => reset(edition))] : []),
  ];
}

/** `POST /<kind>`, which keeps its position in the write queue even if its client disconnects. */
function stayingRoute(
  { host }: EditionParts,
  kind: string,
  right: Right,
  act: () => Promise<Outcome<void>>,
): Route {
  return writeLockRoute(host, "POST", `/${kind}`, { kind, right, leavesWithClient: false, act });
}

function reset({ host, pause }: EditionParts): Promise<Outcome<void>> {
  if (pause.state !== "paused") throw new ApiError("NotPaused");
  return host.store.writer.reset();
}

async function optimize({ host, statistics }: EditionParts): Promise<Outcome<void>> {
  const outcome = await host.store.writer.optimize();
  if (outcome.kind === "done") statistics.lastOptimizeAtMicros = nowMicros();
  return outcome;
}

/** Wraps a route to count the errors that every route can return. */
function counted(route: Route, statistics: Statistics): Route {
  return {
    ...route,
    async handle(request) {
      try {
        return await route.handle(request);
      } catch (error) {
        if (error instanceof ApiError && error.code === "WriteQueueFull") statistics.writes.writeQueueFull++;
        if (!(error instanceof NoReply) && isInternal(error)) statistics.errors.internal++;
        throw error;
      }
    },
  };
}
