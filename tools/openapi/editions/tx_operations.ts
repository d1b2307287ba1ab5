import type { ErrorCode } from "../../../src/model/errors.ts";
import { json, jsonLines, NO_CONTENT, type Operation, text } from "../operation.ts";
import { NO_TRANSACTION } from "./shared_operations.ts";

/** The errors of every call on a transaction. */
const CALL: readonly ErrorCode[] = ["TransactionNotFound", "TransactionBusy"];
const HOLDING: readonly ErrorCode[] = [...CALL, "TooManyTransactions", "Unavailable"];

const TIMED: Operation["successes"] = [{
  status: 200,
  description: "The time of this call; the events of a write will carry it.",
  body: json("TimeOfCall"),
}];

/** The endpoints under `/tx`. */
export const TX_OPERATIONS: readonly Operation[] = [
  {
    method: "POST",
    path: "/tx",
    id: "begin",
    tag: "transactions",
    summary: "Begin a transaction",
    successes: [{
      status: 200,
      description: "It ends with its commit, an error, or after `txIdleTimeout` seconds without a call.",
      body: json("Begun"),
    }],
    errors: ["Paused", "TooManyTransactions"],
  },
  {
    method: "QUERY",
    path: "/tx/{txId}/events",
    id: "readInTransaction",
    tag: "transactions",
    summary: "Read every event that matches",
    description:
      "The next call must be a write of events; the commit checks that nothing that matches came since.",
    body: "TxReadRequest",
    successes: [{
      status: 200,
      description: 'One JSON value per line: committed events, the transaction\'s own, then `{"end":true}`.',
      headers: ["NotCached"],
      body: jsonLines("TxLine"),
    }],
    errors: HOLDING,
  },
  {
    method: "POST",
    path: "/tx/{txId}/events",
    id: "writeInTransaction",
    tag: "transactions",
    summary: "Write events, or decide to write none",
    description: "Follows each read, and only a read.",
    body: "TxWriteRequest",
    successes: TIMED,
    errors: HOLDING,
  },
  {
    method: "GET",
    path: "/tx/{txId}/projections/{type}/{id}",
    id: "readProjectionInTransaction",
    tag: "transactions",
    summary: "Read a projection as the transaction left it",
    successes: [{
      status: 200,
      description: "The payload as it was written.",
      headers: ["NotCached"],
      body: text("The payload."),
    }],
    errors: ["InvalidRequest", "ProjectionNotFound", ...HOLDING],
  },
  {
    method: "POST",
    path: "/tx/{txId}/projections",
    id: "writeProjectionsInTransaction",
    tag: "transactions",
    summary: "Create, replace and delete projections at the commit",
    description: "What is replaced or deleted must have been read, or created, in this transaction.",
    body: "TxProjectionChanges",
    successes: TIMED,
    errors: HOLDING,
  },
  {
    method: "POST",
    path: "/tx/{txId}/commit",
    id: "commit",
    tag: "transactions",
    summary: "Write everything, if what was read still holds",
    description: "The transaction is over, whatever the answer.",
    successes: [{ status: 204, description: "Everything is durable." }],
    errors: [
      "InvalidRequest",
      "TransactionNotFound",
      "ConcurrencyException",
      "TransactionBusy",
      ...NO_TRANSACTION,
    ],
  },
  {
    method: "DELETE",
    path: "/tx/{txId}",
    id: "abandon",
    tag: "transactions",
    summary: "Abandon a transaction",
    description: "Also one that is over, or never was.",
    successes: [NO_CONTENT],
    errors: ["TransactionBusy"],
    bodyUnread: true,
  },
];
