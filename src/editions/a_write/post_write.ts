import { nowMicros } from "../../core/clock.ts";
import { turnError } from "../../core/turn_end.ts";
import { jsonReply } from "../../http/replies.ts";
import type { Reply } from "../../http/exchange.ts";
import type { Route } from "../../http/router.ts";
import { Refusal } from "../../model/errors.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import type { Write } from "../../model/write.ts";
import type { NewVersions } from "../../store/projections.ts";
import type { StoreWrite } from "../../store/run_write.ts";
import { parseJson } from "../../wire/json.ts";
import { decodeWrite } from "../../wire/write_request.ts";
import type { EditionHost } from "../edition.ts";
import { conflictMessage } from "../shared/conflict_message.ts";
import { STORE_HEADER } from "../shared/headers.ts";
import { prepareEvent } from "../shared/prepare_event.ts";
import { versionLists } from "../shared/version_lists.ts";
import type { WriteMetrics } from "./write_metrics.ts";

/** `POST /write`: checks conditions, appends events and changes projections, all or nothing, in its turn. */
export function postWrite(host: EditionHost, metrics: WriteMetrics): Route {
  return {
    method: "POST",
    path: "/write",
    readsBody: true,
    async handle(call) {
      const write = decodeWrite(parseJson(await call.body()), host.literals, host.settings);
      const timeMicros = nowMicros();
      if (isEmpty(write)) {
        host.queue.mustBeOpen();
        return writtenReply(host.store.storeId, []);
      }
      const { verdict, storeId, turnSeconds } = await host.queue.write(
        "write",
        prepare(write, timeMicros),
        call.left,
      );
      metrics.turnEnded(verdict, turnSeconds);
      switch (verdict.kind) {
        case "conflict":
          throw new Refusal("ConcurrencyException", conflictMessage(verdict.conflict, "projections."));
        case "failed":
        case "unknown":
          throw turnError(verdict);
        case "committed": {
          const time = formatTimestamp(timeMicros);
          const events = write.events.map((_, i) => ({ sequence: verdict.firstSequence + i, time }));
          return writtenReply(storeId, events, verdict.versions);
        }
      }
    },
  };
}

function isEmpty({ events, conditions, projections }: Write): boolean {
  const { create, replace, delete: deleted } = projections;
  return [events, conditions, create, replace, deleted].every((list) => list.length === 0);
}

function prepare(write: Write, timeMicros: number): StoreWrite {
  return {
    conditions: write.conditions,
    projections: write.projections,
    events: write.events.map((event) => prepareEvent(event, timeMicros)),
  };
}

function writtenReply(
  storeId: string,
  events: readonly { readonly sequence: number; readonly time: string }[],
  versions: NewVersions = { create: [], replace: [] },
): Reply {
  return jsonReply(200, { events, projections: versionLists(versions) }, { [STORE_HEADER]: storeId });
}
