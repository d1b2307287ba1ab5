import { emptyReply, jsonReply } from "../../http/replies.ts";
import type { Route, RoutedRequest } from "../../http/router.ts";
import { ApiError } from "../../model/errors.ts";
import { EMPTY_WRITE } from "../../store/api/write.ts";
import { Admission } from "../../write_queue/admission.ts";
import { conflictMessage, throwIfRejected } from "../shared/conflicts.ts";
import type { EditionParts } from "./edition_parts.ts";

/**
 * `POST /pause` and `POST /resume`. Each waits in the write queue, so they take effect in the order of the
 * requests.
 */
export function pauseRoutes(edition: EditionParts): Route[] {
  const { host: { queue }, pause } = edition;
  const route = (path: string, handle: (request: RoutedRequest) => Promise<unknown>): Route => ({
    method: "POST",
    path,
    right: "operate",
    body: "ignored",
    level: "info",
    async handle(request) {
      await handle(request);
      return emptyReply(204);
    },
  });
  return [
    route("/pause", async ({ disconnected }) => {
      if (pause.isPaused && !isPending(edition, "resume")) return;
      await queue.alone(new Admission("pause", disconnected), () => pause.begin());
    }),
    route("/resume", async ({ disconnected }) => {
      if (!pause.isPaused && !isPending(edition, "pause")) return;
      await queue.alone(new Admission("resume", disconnected), () => pause.end());
    }),
  ];
}

/*
 * Writes without a ticket, while the store is paused. Each call takes its turn in the write queue, and so does the
 * resume that ends the pause. So calls that were accepted run before the resume, and none is accepted after it.
 */

/** `POST /projections` without a ticket: each call commits on its own. */
export function projectionsRoute(edition: EditionParts): Route {
  const { host, decoding } = edition;
  return {
    method: "POST",
    path: "/projections",
    right: "write",
    body: "handled",
    async handle(request) {
      const body = await request.body();
      const bytes = body.length;
      const projections = await decoding.decode("projections", body, request);
      assertPaused(edition);
      const { outcome } = await host.views.of(request.access).write(
        new Admission("projections", request.disconnected, bytes),
        { ...EMPTY_WRITE, projections },
      );
      return jsonReply(200, throwIfRejected(outcome, conflictMessage).versions);
    },
  };
}

export function whilePaused(edition: EditionParts, route: Route): Route {
  return {
    ...route,
    handle(request) {
      assertPaused(edition);
      return route.handle(request);
    },
  };
}

/** Also throws while a resume waits, since the call would run after it. @throws ApiError `NotPaused` */
function assertPaused(edition: EditionParts): void {
  if (isPending(edition, "resume")) throw new ApiError("NotPaused");
  edition.pause.assertPaused();
}

/** True if a request of this kind holds the write lock or waits for it. */
function isPending({ host: { queue } }: EditionParts, kind: string): boolean {
  return [queue.active, ...queue.queued].some((entry) => entry?.kind === kind);
}
