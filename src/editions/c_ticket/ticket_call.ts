import { setImmediate } from "node:timers";
import { isStream, type Reply } from "../../http/exchange.ts";
import type { Route, RoutedRequest } from "../../http/router.ts";
import { ApiError, ClientDisconnected, NoReply } from "../../model/errors.ts";
import type { EditionParts } from "./edition_parts.ts";
import type { RollbackReason, TicketTransaction } from "./ticket_transaction.ts";

const TICKET_HEADER = "x-service-ticket";
const MISSING_TICKET = "X-Service-Ticket is missing: this call requires a transaction";

type Bytes = Uint8Array<ArrayBuffer>;

export interface TicketCall {
  readonly edition: EditionParts;
  readonly transaction: TicketTransaction;
  readonly segments: readonly string[];
  readonly body: Bytes;
  readonly client: Pick<RoutedRequest, "disconnected">;
}

/**
 * A route that runs in the transaction of the request's ticket. Without a ticket, the handler of `route` runs; a
 * route without a handler requires a ticket. The route checks the ticket before it reads the body.
 */
export function ticketRoute(
  edition: EditionParts,
  route: Pick<Route, "method" | "path" | "right"> & Partial<Route>,
  withTicket: (call: TicketCall) => Promise<Reply>,
): Route {
  return {
    ...route,
    body: "handled",
    async handle(request) {
      const ticket = request.header(TICKET_HEADER);
      if (ticket !== undefined) {
        const transaction = edition.active.of(ticket, request.access);
        const { segments } = request;
        const handle = (body: Bytes) => withTicket({ edition, transaction, segments, body, client: request });
        return await runCall(transaction, request, handle, route.body === "ignored");
      }
      if (route.handle === undefined) throw new ApiError("InvalidRequest", MISSING_TICKET);
      if (route.body === "ignored") await request.discardBody();
      return await route.handle(request);
    },
  };
}

/**
 * Runs a call after the earlier ones are done. An error ends the transaction. So does a client that disconnects before
 * its call has begun, or before it has the whole response. A missing projection is a response, not an error.
 * @param ignoresBody the body has no meaning: it is read and dropped
 * @throws ApiError `TicketNotActive`, or what `handle` throws
 */
export async function runCall(
  transaction: TicketTransaction,
  request: RoutedRequest,
  handle: (body: Bytes) => Promise<Reply>,
  ignoresBody = false,
): Promise<Reply> {
  const { finish, hasWaited } = await transaction.beginCall();
  try {
    const received = ignoresBody ? request.discardBody().then(() => new Uint8Array()) : request.body();
    const body = await whileActive(transaction, received);
    if (hasWaited) await assertPresent(request.disconnected);
    const reply = await handle(body);
    if (isStream(reply.body)) {
      // Other calls must learn that the transaction is over, even while a client reads its response slowly.
      transaction.over.then(finish);
      return { ...reply, body: watched(transaction, reply.body, finish) };
    }
    finish();
    return reply;
  } catch (error) {
    await transaction.end(reasonOf(error));
    finish();
    throw error;
  }
}

/** Returns the body of a call. It rejects when the transaction ends first. */
async function whileActive(transaction: TicketTransaction, body: Promise<Bytes>): Promise<Bytes> {
  // If the transaction ends first, nothing awaits the body. Its failure must be handled here.
  body.catch(() => {});
  const first = await Promise.race([body, transaction.over]);
  if (first === undefined) throw new ApiError("TicketNotActive");
  return first;
}

/**
 * Throws if the client of a call has disconnected. That is known only once the body has been read. A call that
 * waited for another one may have lost its client in the meantime. @throws ClientDisconnected
 */
async function assertPresent(left: AbortSignal): Promise<void> {
  if (!left.aborted) await new Promise<void>((resolve) => setImmediate(resolve));
  if (left.aborted) throw new ClientDisconnected();
}

/** Wraps the stream of a response, which is part of the call. */
async function* watched(
  transaction: TicketTransaction,
  stream: AsyncIterable<Bytes>,
  finish: () => void,
): AsyncGenerator<Bytes, void> {
  let complete = false;
  let reason: RollbackReason = "client";
  try {
    yield* stream;
    complete = true;
  } catch (error) {
    reason = reasonOf(error);
    const isOver = error instanceof ApiError && error.code === "TicketNotActive";
    // The response has begun, so it can only break off.
    throw isOver ? new TransactionOver("the transaction ended while it was being read") : error;
  } finally {
    if (!complete) await transaction.end(reason);
    finish();
  }
}

/** The transaction of a page ended. The response breaks off without a trailer, which is not a failure of the server. */
class TransactionOver extends NoReply {
  override readonly name = "TransactionOver";
}

function reasonOf(error: unknown): RollbackReason {
  return error instanceof ClientDisconnected ? "client" : "error";
}
