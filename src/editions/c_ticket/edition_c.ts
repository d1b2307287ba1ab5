import { VERSION } from "../../config/version.ts";
import { emptyReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import { outcomeOf, throwIfFailed } from "../../store/api/outcome.ts";
import { HOURLY_OPTIMIZE, startHourlyOptimize } from "../../write_queue/hourly_optimize.ts";
import type { Edition } from "../edition.ts";
import { metricsRoute } from "../shared/common_metrics.ts";
import { commonRoutes } from "../shared/common_routes.ts";
import { debugRoute } from "../shared/debug_parts.ts";
import { BodyDecoding } from "../shared/decoding/body_decoding.ts";
import openapi from "./openapi.json" with { type: "text" };
import { derivedBodyLimit } from "./body_limit.ts";
import { debugSnapshot } from "./debug_snapshot.ts";
import { ActiveTransaction, type EditionParts } from "./edition_parts.ts";
import { Pause } from "./pause.ts";
import { pauseRoutes, whilePaused } from "./pause_routes.ts";
import { TICKET_DECODERS } from "./ticket_requests.ts";
import type { TicketTransaction } from "./ticket_transaction.ts";
import { TransactionMetrics } from "./transaction_metrics.ts";
import { transactionRoutes } from "./transaction_routes.ts";

/** How long a stop waits for the running call. It leaves time for the rest of the stop. */
const LAST_CALL_MILLISECONDS = 5000;

/** Edition C: one transaction at a time, addressed by a ticket, open in the database from begin to commit. */
export const editionC: Edition = {
  servers: "exclusive",
  ownKind: HOURLY_OPTIMIZE,
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
      pause: new Pause(host.persistedPause),
      active: new ActiveTransaction(),
      decoding: new BodyDecoding({
        decoders: TICKET_DECODERS,
        worker: new URL("./ticket_decoding_worker.ts", import.meta.url),
        limits: host.settings,
      }),
    };
    const endOptimize = startHourlyOptimize(host.queue, host.store.writer, host.reportFailure);
    return {
      routes: routesOf(edition),
      close() {
        endOptimize();
        edition.decoding.close();
        if (edition.active.current !== undefined) shutDown(edition.active.current);
      },
    };
  },
};

function routesOf(edition: EditionParts): Route[] {
  const { host, metrics, pause, active, decoding } = edition;
  const common = commonRoutes(host, {
    openapi,
    decodeRead: (body, client) => decoding.decode("read", body, client),
    every: "*",
    health: () => ({ status: "ok", version: VERSION, paused: pause.isPaused }),
    assertNotPaused: () => pause.assertNotPaused(),
    deletesLeaveWithClient: true,
  });
  return [
    ...common.same,
    ...transactionRoutes(edition, common),
    ...common.deleteProjections.map((route) => whilePaused(edition, route)),
    ...pauseRoutes(edition),
    metricsRoute(
      host,
      () => metrics.text(host.queue, { paused: pause.isPaused, active: active.current !== undefined }),
      common.reads,
    ),
    debugRoute(() => debugSnapshot(edition, common.reads)),
    ...(host.settings.devMode ? [resetRoute(edition)] : []),
  ];
}

/** `POST /reset`: ends the active transaction. Requests that wait stay in the queue. */
function resetRoute({ host: { queue, store }, active }: EditionParts): Route {
  return {
    method: "POST",
    path: "/reset",
    right: "develop",
    body: "ignored",
    async handle() {
      const reset = queue.next("reset", async () => throwIfFailed(await outcomeOf(store.writer.reset())));
      await Promise.all([reset, active.current?.cut("reset")]);
      return emptyReply(204);
    },
  };
}

async function shutDown(transaction: TicketTransaction): Promise<void> {
  const timer = setTimeout(() => transaction.end("shutdown"), LAST_CALL_MILLISECONDS);
  await transaction.cut("shutdown");
  clearTimeout(timer);
}
