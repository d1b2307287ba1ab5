import { jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import { parseJson } from "../../wire/json.ts";
import { decodeProjectionWrite } from "../../wire/tx_requests.ts";
import { STORE_HEADER } from "../shared/headers.ts";
import { writeProjections } from "../shared/write_projections.ts";
import type { EditionParts } from "./edition_parts.ts";

/** `POST /projections`: creates, replaces and deletes projections outside a transaction, all or nothing. */
export function postProjections({ host, statistics }: EditionParts): Route {
  return {
    method: "POST",
    path: "/projections",
    readsBody: true,
    async handle(call) {
      const projections = decodeProjectionWrite(parseJson(await call.body()), host.settings);
      const { create, replace, delete: deleted } = projections;
      if (create.length + replace.length + deleted.length === 0) {
        host.queue.mustBeOpen();
        return jsonReply(200, { create: [], replace: [] }, { [STORE_HEADER]: host.store.storeId });
      }
      const { versions, storeId } = await writeProjections(host, {
        projections,
        onVerdict: (verdict) => statistics.writeEnded(verdict),
      });
      return jsonReply(200, versions, { [STORE_HEADER]: storeId });
    },
  };
}
