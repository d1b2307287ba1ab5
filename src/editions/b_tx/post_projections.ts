import { turnError } from "../../core/turn_end.ts";
import { jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import { Refusal } from "../../model/errors.ts";
import { parseJson } from "../../wire/json.ts";
import { decodeProjectionWrite } from "../../wire/tx_requests.ts";
import { conflictMessage } from "../shared/conflict_message.ts";
import { STORE_HEADER } from "../shared/headers.ts";
import { versionLists } from "../shared/version_lists.ts";
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
      const write = { conditions: [], projections, events: [] };
      const { verdict, storeId } = await host.queue.write("projections", write, undefined);
      statistics.writeEnded(verdict);
      if (verdict.kind === "conflict") {
        throw new Refusal("ConcurrencyException", conflictMessage(verdict.conflict, ""));
      }
      if (verdict.kind !== "committed") throw turnError(verdict);
      return jsonReply(200, versionLists(verdict.versions), { [STORE_HEADER]: storeId });
    },
  };
}
