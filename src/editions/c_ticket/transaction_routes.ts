import { nowMicros } from "../../core/clock.ts";
import { openPage } from "../../core/page_reader.ts";
import { turnError } from "../../core/turn_end.ts";
import type { Reply } from "../../http/exchange.ts";
import { emptyReply, jsonReply } from "../../http/replies.ts";
import type { Call, Route } from "../../http/router.ts";
import { Refusal } from "../../model/errors.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import type { StoreWrite, WriteResult } from "../../store/run_write.ts";
import { parseJson } from "../../wire/json.ts";
import { decodeTimedReadRequest, type ReadRequest } from "../../wire/read_request.ts";
import { decodeAppend, decodeChanges } from "../../wire/ticket_requests.ts";
import { conflictMessage } from "../shared/conflict_message.ts";
import { committedProjection, projectionReply } from "../shared/get_projection.ts";
import { prepareEvent } from "../shared/prepare_event.ts";
import { committedPage, pageReply } from "../shared/query_events.ts";
import { versionLists } from "../shared/version_lists.ts";
import { begin } from "./begin.ts";
import type { EditionParts } from "./edition_parts.ts";
import { writeWhilePaused } from "./paused_writes.ts";
import { type TicketCall, ticketRoute } from "./ticket_call.ts";
import type { Transaction } from "./transaction.ts";

/** The endpoints that make up a transaction, some of which can also do without one. */
export function transactionRoutes(edition: EditionParts): Route[] {
  const route = ticketRoute.bind(undefined, edition);
  return [
    { method: "POST", path: "/begin", readsBody: false, handle: (call) => begin(edition, call) },
    route("QUERY", "/events", { withTicket: readEvents, withoutTicket: readCommittedEvents }),
    route("POST", "/events", { withTicket: appendEvents }),
    route("GET", "/projections/:type/:id", {
      withTicket: readProjection,
      withoutTicket: readCommittedProjection,
    }),
    route("POST", "/projections", { withTicket: writeProjections, withoutTicket: writeWhilePaused }),
    route("POST", "/commit", { withTicket: commit }),
    route("POST", "/rollback", { withTicket: rollback }),
  ];
}

async function readEvents({ edition: { host }, transaction, body }: TicketCall): Promise<Reply> {
  const request = decodeRead(host, body);
  const page = await openPage(
    (chunk) => transaction.sql((store) => store.readChunkInside(chunk)),
    request,
  );
  return pageReply(page);
}

async function readCommittedEvents({ host, reads }: EditionParts, call: Call): Promise<Reply> {
  return await committedPage(host, decodeRead(host, await call.body()), reads);
}

function decodeRead(
  { literals, settings }: EditionParts["host"],
  body: Uint8Array<ArrayBuffer>,
): ReadRequest {
  return decodeTimedReadRequest(parseJson(body), literals, settings);
}

async function appendEvents({ edition, transaction, body }: TicketCall): Promise<Reply> {
  const { host: { literals, settings }, metrics } = edition;
  const { events, condition } = decodeAppend(parseJson(body), literals, settings);
  if (events.length === 0) return jsonReply(200, { events: [] });
  const timeMicros = nowMicros();
  const result = await write(transaction, {
    conditions: condition === undefined ? [] : [condition],
    projections: { create: [], replace: [], delete: [] },
    events: events.map((event) => prepareEvent(event, timeMicros)),
  });
  if (result.kind === "conflict") {
    metrics.appendFailed();
    throw new Refusal("ConcurrencyException");
  }
  const time = formatTimestamp(timeMicros);
  return jsonReply(200, { events: events.map((_, i) => ({ sequence: result.firstSequence + i, time })) });
}

async function readProjection({ edition: { host }, transaction, segments }: TicketCall): Promise<Reply> {
  const [type, id] = segments;
  const key = { type: type!, id: id! };
  const projection = await transaction.sql((store) => store.readProjectionInside(key));
  return projectionReply(host.store.storeId, projection);
}

async function readCommittedProjection({ host, reads }: EditionParts, call: Call): Promise<Reply> {
  await call.body();
  const [type, id] = call.segments;
  return await committedProjection(host, { type: type!, id: id! }, reads);
}

async function writeProjections({ edition: { host }, transaction, body }: TicketCall): Promise<Reply> {
  const projections = decodeChanges(parseJson(body), host.settings);
  const result = await write(transaction, { conditions: [], projections, events: [] });
  if (result.kind === "conflict") {
    throw new Refusal("ConcurrencyException", conflictMessage(result.conflict, ""));
  }
  return jsonReply(200, versionLists(result.versions));
}

async function write(transaction: Transaction, write: StoreWrite): Promise<WriteResult> {
  const verdict = await transaction.sql((store) => store.writeInside(write));
  if (verdict.kind === "committed" || verdict.kind === "conflict") return verdict;
  throw turnError(verdict);
}

async function commit({ transaction }: TicketCall): Promise<Reply> {
  await transaction.commit();
  return emptyReply(204);
}

async function rollback({ transaction }: TicketCall): Promise<Reply> {
  await transaction.end("client");
  return emptyReply(204);
}
