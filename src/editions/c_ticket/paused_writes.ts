import type { Reply } from "../../http/exchange.ts";
import { jsonReply } from "../../http/replies.ts";
import type { Call, Route } from "../../http/router.ts";
import { Refusal } from "../../model/errors.ts";
import { parseJson } from "../../wire/json.ts";
import { decodeChanges } from "../../wire/ticket_requests.ts";
import { deleteProjectionsRoutes } from "../shared/turns.ts";
import { writeProjections } from "../shared/write_projections.ts";
import { type EditionParts, isUnderWay } from "./edition_parts.ts";

/*
 * What is written without a ticket, while the store is paused. Each call takes a turn, and so does the resume
 * that ends the pause: a call that was accepted is done before, and behind a resume none is accepted.
 */

/** `POST /projections` without a ticket: each call commits on its own. */
export async function writeWhilePaused(edition: EditionParts, call: Call): Promise<Reply> {
  const { host } = edition;
  const projections = decodeChanges(parseJson(await call.body()), host.settings);
  mustBePaused(edition);
  const { versions } = await writeProjections(host, { projections, client: call.left });
  return jsonReply(200, versions);
}

/** `DELETE /projections/{type}` and `DELETE /projections`. */
export function bulkDeleteRoutes(edition: EditionParts): Route[] {
  return deleteProjectionsRoutes(edition.host, { leavesWithClient: true }).map((route) => ({
    ...route,
    handle(call) {
      mustBePaused(edition);
      return route.handle(call);
    },
  }));
}

/** Its turn would come behind that of a resume that waits already. @throws Refusal `NotPaused` */
function mustBePaused(edition: EditionParts): void {
  if (isUnderWay(edition, "resume")) throw new Refusal("NotPaused");
  edition.pause.mustHold();
}
