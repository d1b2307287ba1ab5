import type { Reply } from "../../http/exchange.ts";
import type { Call, Route } from "../../http/router.ts";
import { Refusal } from "../../model/errors.ts";
import type { EditionParts } from "./edition_parts.ts";
import type { Transaction } from "./transaction.ts";

const TICKET_HEADER = "x-service-ticket";

/** What the handler of a call with a ticket works with. */
export interface TicketCall {
  readonly edition: EditionParts;
  readonly transaction: Transaction;
  /** The decoded segments of the path. */
  readonly segments: Call["segments"];
  readonly body: Uint8Array<ArrayBuffer>;
}

interface Handlers {
  readonly withTicket: (call: TicketCall) => Promise<Reply>;
  /** Left out: the call needs a ticket. */
  readonly withoutTicket?: (edition: EditionParts, call: Call) => Promise<Reply>;
}

/**
 * A route that runs in the transaction of the ticket that the request carries, if it carries one. The ticket is
 * looked at before the body is read.
 */
export function ticketRoute(
  edition: EditionParts,
  method: Route["method"],
  path: string,
  { withTicket, withoutTicket }: Handlers,
): Route {
  return {
    method,
    path,
    readsBody: true,
    async handle(call) {
      const ticket = call.header(TICKET_HEADER);
      if (ticket === undefined) {
        if (withoutTicket !== undefined) return await withoutTicket(edition, call);
        throw new Refusal(
          "InvalidRequest",
          "X-Service-Ticket is missing: this call belongs to a transaction",
        );
      }
      const transaction = edition.active.of(ticket);
      const { segments } = call;
      return await transaction.call(call, (body) => withTicket({ edition, transaction, segments, body }));
    },
  };
}
