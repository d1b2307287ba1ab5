import type { Reply } from "../../http/exchange.ts";
import type { Route, RoutedRequest } from "../../http/router.ts";
import type { EditionParts } from "./edition_parts.ts";
import type { RunningCall } from "./open_transactions.ts";
import type { Transaction } from "./transaction.ts";

/** What the handler of a call on a transaction works with. */
export interface TxCall {
  readonly edition: EditionParts;
  readonly transaction: Transaction;
  readonly running: RunningCall;
  readonly request: RoutedRequest;
}

/**
 * A route for calls on the transaction that its path names. The transaction is looked up, and found free,
 * before the body is read.
 */
export function onTransaction(
  method: Route["method"],
  rest: string,
  edition: EditionParts,
  handle: (call: TxCall) => Promise<Reply>,
): Route {
  return {
    method,
    path: `/tx/:txId${rest}`,
    body: "handled",
    handle: (request) =>
      edition.transactions.call(
        request.segments[0]!,
        (transaction, running) => handle({ edition, transaction, running, request }),
      ),
  };
}

/** The body of a call, counted as held by its transaction. @throws ApiError `TooManyTransactions` */
export async function bodyOf({ request, running }: TxCall): Promise<Uint8Array<ArrayBuffer>> {
  const body = await request.body();
  running.hold(body.length);
  return body;
}
