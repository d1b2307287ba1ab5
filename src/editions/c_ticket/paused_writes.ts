import { jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import { ApiError } from "../../model/errors.ts";
import { EMPTY_WRITE } from "../../store/api/write.ts";
import { Admission } from "../../write_queue/admission.ts";
import { conflictMessage, throwIfRejected } from "../shared/conflicts.ts";
import { type EditionParts, isPending } from "./edition_parts.ts";

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
    body: "handled",
    async handle(request) {
      const body = await request.body();
      const bytes = body.length;
      const projections = await decoding.decode("projections", body, request);
      assertPaused(edition);
      const { outcome } = await host.queue.write(
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
