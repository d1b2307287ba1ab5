import { jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import { ApiError } from "../../model/errors.ts";
import { EMPTY_WRITE } from "../../store/write.ts";
import { conflictMessage, throwIfRejected } from "../shared/conflicts.ts";
import { type EditionParts, isPending } from "./edition_parts.ts";

/*
 * What is written without a ticket, while the store is paused. Each call takes a turn, and so does the resume
 * that ends the pause: accepted calls run before it, and after a resume none is accepted.
 */

/** `POST /projections` without a ticket: each call commits on its own. */
export function projectionsRoute(edition: EditionParts): Route {
  const { host, decoding } = edition;
  return {
    method: "POST",
    path: "/projections",
    body: "handled",
    async handle(request) {
      const body = await request.body();
      const bytes = body.length;
      const projections = await decoding.decode("projections", body, request);
      assertPaused(edition);
      const { outcome } = await host.queue.write(
        "projections",
        { ...EMPTY_WRITE, projections },
        request.disconnected,
        bytes,
      );
      return jsonReply(200, throwIfRejected(outcome, conflictMessage).versions);
    },
  };
}

/** The route, which can be called only during a pause. */
export function whilePaused(edition: EditionParts, route: Route): Route {
  return {
    ...route,
    handle(request) {
      assertPaused(edition);
      return route.handle(request);
    },
  };
}

/** Its turn would come after that of a resume that is already waiting. @throws ApiError `NotPaused` */
function assertPaused(edition: EditionParts): void {
  if (isPending(edition, "resume")) throw new ApiError("NotPaused");
  edition.pause.assertPaused();
}
