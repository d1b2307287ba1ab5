import { VERSION } from "../../config/version.ts";
import { nowMicros } from "../../core/clock.ts";
import { mustHaveSucceeded } from "../../core/turn_end.ts";
import { errorReply, jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import { NoReply, Refusal } from "../../model/errors.ts";
import type { TurnFailure } from "../../store/turns.ts";
import type { Edition } from "../edition.ts";
import { requestBodyLimit } from "../shared/body_limit.ts";
import { getProjection } from "../shared/get_projection.ts";
import { getRoute } from "../shared/get_route.ts";
import { NO_STORE } from "../shared/headers.ts";
import { profilingRoutes } from "../shared/profiling.ts";
import { queryEvents } from "../shared/query_events.ts";
import { deleteProjectionsRoutes, type Turn, turnRoute } from "../shared/turns.ts";
import type { EditionParts } from "./edition_parts.ts";
import { OpenTransactions } from "./open_transactions.ts";
import { Pause } from "./pause.ts";
import { pauseRoutes } from "./pause_routes.ts";
import { postProjections } from "./post_projections.ts";
import { Statistics } from "./statistics.ts";
import { txRoutes } from "./tx_routes.ts";

/** Edition B: optimistic transactions below `/tx`, kept in memory, checked and written at commit. */
export const editionB: Edition = {
  literals: new Map([["all", "every"], ["none", "none"]]),
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
    const edition = { host, statistics, transactions, pause };
    const refresh = host.queue.alone("optimize", () => optimize(edition), undefined);
    refresh.then(mustHaveSucceeded).catch(host.reportFailure);
    return {
      routes: routesOf(edition).map((route) => counted(route, statistics)),
      close: () => transactions.close(),
    };
  },
};

function routesOf(edition: EditionParts): Route[] {
  const { host, statistics, transactions, pause } = edition;
  return [
    queryEvents(host),
    ...txRoutes(edition),
    postProjections(edition),
    getProjection(host),
    ...deleteProjectionsRoutes(host, { leavesWithClient: false }),
    ...pauseRoutes(edition),
    turnRoute(host, "POST", "/optimize", staying("optimize", () => optimize(edition))),
    getRoute("/health", async () => {
      await host.store.ping();
      return jsonReply(200, { status: "ok", paused: pause.state === "paused", version: VERSION }, NO_STORE);
    }),
    getRoute("/stats", () => jsonReply(200, statistics.document(pause, transactions.count), NO_STORE)),
    ...(host.settings.devMode ? developmentRoutes(edition) : []),
  ];
}

function developmentRoutes({ host, pause }: EditionParts): Route[] {
  const reset = staying("reset", () => {
    if (pause.state !== "paused") throw new Refusal("NotPaused");
    return host.store.reset();
  });
  return [turnRoute(host, "POST", "/reset", reset), ...profilingRoutes()];
}

/** A turn that runs even if its client leaves. */
function staying(kind: string, act: Turn["act"]): Turn {
  return { kind, leavesWithClient: false, act };
}

async function optimize({ host, statistics }: EditionParts): Promise<TurnFailure | undefined> {
  const failure = await host.store.optimize();
  if (failure === undefined) statistics.lastOptimizeAtMicros = nowMicros();
  return failure;
}

/** The route, counting what every route can end in. */
function counted(route: Route, statistics: Statistics): Route {
  return {
    ...route,
    async handle(call) {
      try {
        return await route.handle(call);
      } catch (error) {
        if (error instanceof Refusal && error.code === "WriteQueueFull") statistics.writes.writeQueueFull++;
        if (isInternal(error)) statistics.errors.internal++;
        throw error;
      }
    },
  };
}

function isInternal(error: unknown): boolean {
  return !(error instanceof NoReply) && errorReply(error).reply.status === 500;
}
