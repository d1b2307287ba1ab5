import { jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import { EMPTY_WRITE } from "../../store/api/write.ts";
import { Admission } from "../../write_queue/admission.ts";
import { countWrite } from "../shared/common_metrics.ts";
import { conflictMessage, throwIfRejected } from "../shared/conflicts.ts";
import { STORE_HEADER } from "../shared/headers.ts";
import type { EditionParts } from "./edition_parts.ts";

/** `POST /projections`: creates, replaces and deletes projections outside a transaction, all or nothing. */
export function postProjections({ host, statistics, decoding }: EditionParts): Route {
  return {
    method: "POST",
    path: "/projections",
    right: "write",
    body: "handled",
    async handle(request) {
      const body = await request.body();
      const bytes = body.length;
      const projections = await decoding.decode("projections", body, request);
      const { create, replace, delete: deleted } = projections;
      if (create.length + replace.length + deleted.length === 0) {
        host.queue.assertOpen();
        return jsonReply(200, { create: [], replace: [] }, { [STORE_HEADER]: host.store.storeId });
      }
      const { outcome } = await host.views.of(request.access).write(
        new Admission("projections", undefined, bytes),
        { ...EMPTY_WRITE, projections },
      );
      countWrite(statistics.writes, outcome);
      const { versions, storeId } = throwIfRejected(outcome, conflictMessage);
      return jsonReply(200, versions, { [STORE_HEADER]: storeId });
    },
  };
}
