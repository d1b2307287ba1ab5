import type { Reply } from "../../http/exchange.ts";
import { errorReply } from "../../http/error_replies.ts";
import { emptyReply, jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import type { Access } from "../../model/access.ts";
import { ApiError } from "../../model/errors.ts";
import type { ProjectionKey } from "../../model/projection.ts";
import { matches, queryValues } from "../../model/query.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import type { Page } from "../../store/core/open_page.ts";
import type { Client } from "../../store/api/store.ts";
import { nowMicros } from "../../time/clock.ts";
import type { StoreView } from "../../view/store_view.ts";
import { parseQueried } from "../../wire/event.ts";
import { authoredBodies } from "../shared/authorship.ts";
import { NOT_CACHED } from "../shared/headers.ts";
import type { ReadsInFlight } from "../shared/reads_in_flight.ts";
import { commit } from "./commit.ts";
import type { EditionParts } from "./edition_parts.ts";
import type { OptimisticTransaction, PendingEvent } from "./optimistic_transaction.ts";
import { bodyOf, onTransaction, type TxCall } from "./tx_call.ts";

const encoder = new TextEncoder();

/** Memory that the runtime needs for a value or an event besides its text, while a transaction holds it. */
const VALUE_BYTES = 128;

/** The endpoints under `/tx`. @param reads counts their reads too */
export function txRoutes(edition: EditionParts, reads: Pick<ReadsInFlight, "begin">): Route[] {
  const { transactions } = edition;
  return [
    {
      method: "POST",
      path: "/tx",
      right: "write",
      body: "ignored",
      handle: ({ access }) => begin(edition, access),
    },
    onTransaction("read", "QUERY", "/events", edition, (call) => readEvents(call, reads)),
    onTransaction("write", "POST", "/events", edition, writeEvents),
    onTransaction("read", "GET", "/projections/:type/:id", edition, (call) => readProjection(call, reads)),
    onTransaction("write", "POST", "/projections", edition, writeProjections),
    onTransaction("write", "POST", "/commit", edition, commit),
    {
      method: "DELETE",
      path: "/tx/:txId",
      right: "write",
      body: "unread",
      handle({ segments: [txId], access }) {
        transactions.abandon(txId!, access);
        return emptyReply(204);
      },
    },
  ];
}

function begin({ pause, statistics, transactions }: EditionParts, access: Access): Reply {
  if (pause.state !== "normal") {
    statistics.transactions.paused++;
    throw new ApiError("Paused");
  }
  return jsonReply(200, { txId: transactions.begin(access) });
}

async function readEvents(call: TxCall, reads: Pick<ReadsInFlight, "begin">): Promise<Reply> {
  const { edition, transaction, running, request } = call;
  const query = await edition.decoding.decode("txRead", await bodyOf(call), call.request);
  running.hold(queryValues(query) * VALUE_BYTES);
  transaction.beginRead(query);
  const read = { query, afterSequence: 0, limit: Infinity };
  using held = new DisposableStack();
  const counted = held.use(reads.begin("events"));
  const page = await edition.host.views.of(request.access).page(read, request);
  counted.handedOut = page.handedOut;
  transaction.readAnswered(page);
  const own = transaction.pendingEvents.filter(({ body }) => matches(query, parseQueried(body)));
  // The call runs, and counts as a read, until its last line has been sent.
  running.extend();
  held.defer(() => running.end());
  return {
    status: 200,
    headers: { "Content-Type": "application/x-ndjson", ...NOT_CACHED },
    body: lines(page, own, held.move()),
  };
}

async function* lines(
  page: Page,
  own: readonly PendingEvent[],
  held: Disposable,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  using _held = held;
  yield* page.chunks;
  for (const { body, timeMicros } of own) {
    yield encoder.encode(`{"time":"${formatTimestamp(timeMicros)}",${body}}\n`);
  }
  yield encoder.encode('{"end":true}\n');
}

async function writeEvents(call: TxCall): Promise<Reply> {
  const { edition, transaction, running, request } = call;
  const decoded = await edition.decoding.decode("txEvents", await bodyOf(call), request);
  const { settings, views } = edition.host;
  const events = authoredBodies(decoded, settings, request.access);
  views.of(request.access).assertWithin(events);
  running.hold(events.length * VALUE_BYTES);
  const timeMicros = nowMicros();
  transaction.writeEvents(events, timeMicros);
  return jsonReply(200, { time: formatTimestamp(timeMicros) });
}

async function readProjection(
  { edition, transaction, running, request }: TxCall,
  reads: Pick<ReadsInFlight, "begin">,
): Promise<Reply> {
  await request.discardBody();
  const [, type, id] = request.segments;
  const key: ProjectionKey = { type: type!, id: id! };
  // The transaction remembers the key even if the projection does not exist. It does so in two maps.
  if (!transaction.knows(key)) running.hold(4 * (key.type.length + key.id.length) + 2 * VALUE_BYTES);
  using _read = reads.begin("projection");
  const payload = await payloadIn(edition.host.views.of(request.access), transaction, key, request);
  if (payload === undefined) return errorReply(new ApiError("ProjectionNotFound"), NOT_CACHED).reply;
  const headers = { "Content-Type": "text/plain; charset=utf-8", ...NOT_CACHED };
  return { status: 200, headers, body: payload };
}

/** Returns the payload of a projection as the transaction sees it, or undefined when there is none. */
async function payloadIn(
  stored: StoreView,
  transaction: OptimisticTransaction,
  key: ProjectionKey,
  client: Client,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const view = transaction.viewProjection(key);
  if (view === "deleted") return undefined;
  if (view !== "asStored") return encoder.encode(view.payload);
  const { projection } = await stored.projection(key, client);
  transaction.projectionRead(key, projection === undefined ? "missing" : { version: projection.version });
  return projection?.payload;
}

async function writeProjections(call: TxCall): Promise<Reply> {
  const { edition, transaction, running } = call;
  const changes = await edition.decoding.decode("txProjections", await bodyOf(call), call.request);
  const count = changes.create.length + changes.replace.length + changes.delete.length;
  running.hold(count * 2 * VALUE_BYTES);
  transaction.writeProjections(changes);
  return jsonReply(200, { time: formatTimestamp(nowMicros()) });
}
