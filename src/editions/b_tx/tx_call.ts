import type { Reply } from "../../http/exchange.ts";
import type { Route, RoutedRequest } from "../../http/router.ts";
import type { Right } from "../../model/access.ts";
import type { EditionParts } from "./edition_parts.ts";
import type { RunningCall } from "./open_transactions.ts";
import type { OptimisticTransaction } from "./optimistic_transaction.ts";

export interface TxCall {
  readonly edition: EditionParts;
  readonly transaction: OptimisticTransaction;
  readonly running: RunningCall;
  readonly request: RoutedRequest;
}

/**
 * A route for calls on the transaction that its path names. It looks up the transaction, and checks that no other
 * call runs on it, before it reads the body.
 */
export function onTransaction(
  right: Right,
  method: Route["method"],
  rest: string,
  edition: EditionParts,
  handle: (call: TxCall) => Promise<Reply>,
): Route {
  return {
    method,
    path: `/tx/:txId${rest}`,
    right,
    body: "handled",
    handle: (request) =>
      edition.transactions.call(
        request.segments[0]!,
        request.access,
        (transaction, running) => handle({ edition, transaction, running, request }),
      ),
  };
}

/** Reads the body of a call and counts it as held by its transaction. @throws ApiError `TooManyTransactions` */
export async function bodyOf({ request, running }: TxCall): Promise<Uint8Array<ArrayBuffer>> {
  const body = await request.body();
  running.hold(body.length);
  return body;
}
