import { VERSION } from "../../config/version.ts";
import { startHourlyOptimize } from "../../core/hourly_optimize.ts";
import { METRICS_CONTENT_TYPE } from "../../core/metrics.ts";
import { mustHaveSucceeded } from "../../core/turn_end.ts";
import { emptyReply, jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import type { Edition } from "../edition.ts";
import { getRoute } from "../shared/get_route.ts";
import { NO_STORE } from "../shared/headers.ts";
import { profilingRoutes } from "../shared/profiling.ts";
import { ReadsInFlight } from "../shared/reads_in_flight.ts";
import { derivedBodyLimit } from "./body_limit.ts";
import { debugSnapshot } from "./debug_snapshot.ts";
import { ActiveTransaction, type EditionParts } from "./edition_parts.ts";
import { Pause } from "./pause.ts";
import { pauseRoutes } from "./pause_routes.ts";
import { bulkDeleteRoutes } from "./paused_writes.ts";
import type { Transaction } from "./transaction.ts";
import { TransactionMetrics } from "./transaction_metrics.ts";
import { transactionRoutes } from "./transaction_routes.ts";

/** How long a stop lets the running call go on, so that the rest of a stop has its time too. */
const LAST_CALL_MILLISECONDS = 5000;

/** Edition C: one transaction at a time, addressed by a ticket, open in the database from begin to commit. */
export const editionC: Edition = {
  literals: new Map([["*", "every"]]),
  queueLimit: (settings) => ({
    waitingMax: settings.maxQueuedTransactions,
    fullCode: "TransactionQueueFull",
  }),
  bodyLimit: derivedBodyLimit,
  startFacts: (settings) => [`maxRequestBody ${derivedBodyLimit(settings).bytesMax} bytes`],
  firstSteps: (curl, url) => [
    `TICKET=$(${curl} -s -X POST ${url}/begin | cut -d '"' -f 4)`,
    `${curl} ${url}/events -H "X-Service-Ticket: $TICKET" -d '{"events":[{"type":"CourseDefined","identifiers":{"course":"c1"},"payload":"{}"}]}'`,
    `${curl} -X POST ${url}/commit -H "X-Service-Ticket: $TICKET"`,
    `${curl} -X QUERY ${url}/events -d '{"query":[{"identifiers":[{"name":"course","value":"c1"}]}]}'`,
  ],
  open(host) {
    const edition = {
      host,
      metrics: new TransactionMetrics(),
      reads: new ReadsInFlight(),
      pause: new Pause(host.settings.dataDir),
      active: new ActiveTransaction(),
    };
    const endOptimize = startHourlyOptimize(host.queue, host.store, host.reportFailure);
    return {
      routes: routesOf(edition),
      close() {
        endOptimize();
        if (edition.active.current !== undefined) shutDown(edition.active.current);
      },
    };
  },
};

function routesOf(edition: EditionParts): Route[] {
  const { host, metrics, pause, active } = edition;
  return [
    ...transactionRoutes(edition),
    ...bulkDeleteRoutes(edition),
    ...pauseRoutes(edition),
    getRoute("/health", async () => {
      await host.store.ping();
      return jsonReply(200, { status: "ok", version: VERSION, paused: pause.holds }, NO_STORE);
    }),
    getRoute("/metrics", () => ({
      status: 200,
      headers: { "Content-Type": METRICS_CONTENT_TYPE, ...NO_STORE },
      body: new TextEncoder().encode(
        metrics.text(host.queue, { paused: pause.holds, active: active.current !== undefined }),
      ),
    })),
    getRoute("/debug", () => jsonReply(200, debugSnapshot(edition), NO_STORE)),
    ...(host.settings.devMode ? [resetRoute(edition), ...profilingRoutes()] : []),
  ];
}

/** `POST /reset`: cuts the active transaction off and leaves those that wait where they are. */
function resetRoute({ host: { queue, store }, active }: EditionParts): Route {
  return {
    method: "POST",
    path: "/reset",
    readsBody: false,
    async handle() {
      const reset = queue.next("reset", async () => mustHaveSucceeded(await store.reset()));
      await Promise.all([reset, active.current?.cut("reset")]);
      return emptyReply(204);
    },
  };
}

async function shutDown(transaction: Transaction): Promise<void> {
  const timer = setTimeout(() => transaction.end("shutdown"), LAST_CALL_MILLISECONDS);
  await transaction.cut("shutdown");
  clearTimeout(timer);
}
