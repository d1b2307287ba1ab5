import type { Reply } from "../../http/exchange.ts";
import type { Route, RoutedRequest } from "../../http/router.ts";
import { ApiError } from "../../model/errors.ts";
import type { EditionParts } from "./edition_parts.ts";
import type { Transaction } from "./transaction.ts";

const TICKET_HEADER = "x-service-ticket";
const MISSING_TICKET = "X-Service-Ticket is missing: this call requires a transaction";

/** The input of a handler for a call with a ticket. */
export interface TicketCall {
  readonly edition: EditionParts;
  readonly transaction: Transaction;
  /** The decoded segments of the path. */
  readonly segments: readonly string[];
  readonly body: Uint8Array<ArrayBuffer>;
  readonly client: Pick<RoutedRequest, "disconnected">;
}

/**
 * A route that runs in the transaction of the request's ticket. Without a ticket, the handler of `route` runs; a
 * route without a handler requires a ticket. The route checks the ticket before it reads the body.
 */
export function ticketRoute(
  edition: EditionParts,
  route: Pick<Route, "method" | "path"> & Partial<Route>,
  withTicket: (call: TicketCall) => Promise<Reply>,
): Route {
  return {
    ...route,
    body: "handled",
    async handle(request) {
      const ticket = request.header(TICKET_HEADER);
      if (ticket !== undefined) {
        const transaction = edition.active.of(ticket);
        const { segments } = request;
        return await transaction.call(
          route.body === "ignored" ? new WithoutBody(request) : request,
          (body) => withTicket({ edition, transaction, segments, body, client: request }),
        );
      }
      if (route.handle === undefined) throw new ApiError("InvalidRequest", MISSING_TICKET);
      if (route.body === "ignored") await request.discardBody();
      return await route.handle(request);
    },
  };
}

/** A call whose body has no meaning: it is read and dropped. */
class WithoutBody implements Pick<RoutedRequest, "body" | "disconnected"> {
  readonly #request: RoutedRequest;

  constructor(request: RoutedRequest) {
    this.#request = request;
  }

  async body(): Promise<Uint8Array<ArrayBuffer>> {
    await this.#request.discardBody();
    return new Uint8Array();
  }

  get disconnected(): AbortSignal {
    return this.#request.disconnected;
  }
}
