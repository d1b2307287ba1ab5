import type { Reply } from "../../http/exchange.ts";
import { emptyReply, jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { EMPTY_WRITE } from "../../store/api/write.ts";
import { nowMicros } from "../../time/clock.ts";
import type { CommonRoutes } from "../shared/common_routes.ts";
import { authoredEvents } from "../shared/authorship.ts";
import { conflictMessage, throwIfRejected } from "../shared/conflicts.ts";
import { pageReply } from "../shared/read_events.ts";
import { projectionReply } from "../shared/read_projection.ts";
import { begin } from "./begin.ts";
import type { EditionParts } from "./edition_parts.ts";
import { projectionsRoute } from "./pause_routes.ts";
import { type TicketCall, ticketRoute } from "./ticket_call.ts";

/** The endpoints of a transaction. Some also work without a ticket. */
export function transactionRoutes(
  edition: EditionParts,
  common: Pick<CommonRoutes, "readEvents" | "readProjection">,
): Route[] {
  return [
    {
      method: "POST",
      path: "/begin",
      right: "write",
      body: "ignored",
      handle: (request) => begin(edition, request),
    },
    ticketRoute(edition, common.readEvents, readEvents),
    ticketRoute(edition, { method: "POST", path: "/events", right: "write" }, appendEvents),
    ticketRoute(edition, common.readProjection, readProjection),
    ticketRoute(edition, projectionsRoute(edition), writeProjections),
    ticketRoute(edition, { method: "POST", path: "/commit", right: "write", body: "ignored" }, commit),
    ticketRoute(edition, { method: "POST", path: "/rollback", right: "write", body: "ignored" }, rollback),
  ];
}

async function readEvents({ edition: { decoding }, transaction, body, client }: TicketCall): Promise<Reply> {
  const request = await decoding.decode("readInside", body, client);
  const page = transaction.view.pageInside(request, client, (read) => transaction.inStore(read));
  return pageReply(await page);
}

async function appendEvents({ edition, transaction, body, client }: TicketCall): Promise<Reply> {
  const { decoding, metrics, host } = edition;
  const { events: decoded, condition } = await decoding.decode("append", body, client);
  const events = authoredEvents(decoded, host.settings, transaction.owner);
  if (events.length === 0) return jsonReply(200, { events: [] });
  const timeMicros = nowMicros();
  const write = {
    ...EMPTY_WRITE,
    conditions: condition === undefined ? [] : [condition],
    events: events.map((event) => ({ ...event, timeMicros })),
  };
  const outcome = await transaction.inStore(() => transaction.view.writeInside(write));
  const { firstSequence } = throwIfRejected(outcome, () => void metrics.appendFailed());
  const time = formatTimestamp(timeMicros);
  return jsonReply(200, { events: events.map((_, i) => ({ sequence: firstSequence + i, time })) });
}

async function readProjection({ transaction, segments }: TicketCall): Promise<Reply> {
  const [type, id] = segments;
  const key = { type: type!, id: id! };
  return projectionReply(await transaction.inStore(() => transaction.view.projectionInside(key)));
}

async function writeProjections(
  { edition: { decoding }, transaction, body, client }: TicketCall,
): Promise<Reply> {
  const projections = await decoding.decode("projections", body, client);
  const write = { ...EMPTY_WRITE, projections };
  const outcome = await transaction.inStore(() => transaction.view.writeInside(write));
  return jsonReply(200, throwIfRejected(outcome, conflictMessage).versions);
}

async function commit({ transaction }: TicketCall): Promise<Reply> {
  await transaction.commit();
  return emptyReply(204);
}

async function rollback({ transaction }: TicketCall): Promise<Reply> {
  await transaction.end("client");
  return emptyReply(204);
}
