import type { Reply } from "../../http/exchange.ts";
import { jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import type { NewVersions } from "../../store/api/write.ts";
import { nowMicros } from "../../time/clock.ts";
import { Admission } from "../../write_queue/admission.ts";
import type { EditionHost } from "../edition.ts";
import { authoredEvents } from "../shared/authorship.ts";
import { conflictMessage, throwIfRejected } from "../shared/conflicts.ts";
import { STORE_HEADER } from "../shared/headers.ts";
import type { WriteMetrics } from "./write_metrics.ts";
import type { WriteContent, WriteDecoding } from "./write_request.ts";

/**
 * `POST /write`: checks conditions, appends events and changes projections in one write transaction, all or
 * nothing.
 */
export function postWrite(host: EditionHost, decoding: WriteDecoding, metrics: WriteMetrics): Route {
  const { queue, store, views } = host;
  return {
    method: "POST",
    path: "/write",
    right: "write",
    body: "handled",
    async handle(request) {
      const body = await request.body();
      const bytes = body.length;
      const write = await decoding.decode("write", body, request);
      const timeMicros = nowMicros();
      if (isEmpty(write)) {
        queue.assertOpen();
        return writtenReply(store.storeId, []);
      }
      const { conditions, projections } = write;
      const events = authoredEvents(write.events, host.settings, request.access)
        .map(({ body, terms }) => ({ timeMicros, body, terms }));
      const timed = { conditions, projections, events };
      const admission = new Admission("write", request.disconnected, bytes);
      const { outcome, lockSeconds } = await views.of(request.access).write(admission, timed);
      metrics.turnEnded(outcome, lockSeconds);
      const { storeId, firstSequence, versions } = throwIfRejected(
        outcome,
        (conflict) => conflictMessage(conflict, "projections."),
      );
      const time = formatTimestamp(timeMicros);
      const written = events.map((_, i) => ({ sequence: firstSequence + i, time }));
      return writtenReply(storeId, written, versions);
    },
  };
}

function isEmpty({ events, conditions, projections }: WriteContent): boolean {
  const { create, replace, delete: deleted } = projections;
  return [events, conditions, create, replace, deleted].every((list) => list.length === 0);
}

function writtenReply(
  storeId: string,
  events: readonly { readonly sequence: number; readonly time: string }[],
  projections: NewVersions = { create: [], replace: [] },
): Reply {
  return jsonReply(200, { events, projections }, { [STORE_HEADER]: storeId });
}
