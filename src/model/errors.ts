export type ErrorCode =
  | "InvalidRequest"
  | "Unauthorized"
  | "Forbidden"
  | "ProjectionNotFound"
  | "SubjectNotFound"
  | "TransactionNotFound"
  | "ConcurrencyException"
  | "TransactionBusy"
  | "NotPaused"
  | "TicketNotActive"
  | "PayloadTooLarge"
  | "InternalError"
  | "DiskFull"
  | "WriteQueueFull"
  | "TransactionQueueFull"
  | "TooManyTransactions"
  | "Paused"
  | "ShuttingDown"
  | "Standby"
  | "Unavailable";

/**
 * A request that is answered with an error of the interface. `detail` is the `message` of the envelope, and `facts`
 * are its further fields, for programs.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly facts: object | undefined;

  constructor(code: ErrorCode, detail?: string, facts?: object) {
    super(detail === undefined ? code : `${code}: ${detail}`);
    this.name = "ApiError";
    this.code = code;
    this.detail = detail;
    this.facts = facts;
  }
}

/** A request that exceeds a limit, which its client may not know. */
export class LimitReached extends ApiError {
  constructor(detail: string) {
    super("InvalidRequest", detail);
  }
}

/** A request that gets no response at all: its connection is closed. */
export class NoReply extends Error {
  override readonly name: string = "NoReply";
}

/** The client closed its connection while its request was waiting. Nothing was written. */
export class ClientDisconnected extends NoReply {
  override readonly name = "ClientDisconnected";
}

/** It is unknown whether a write happened: its COMMIT failed, and so did the attempt to check. */
export class OutcomeUnknown extends NoReply {
  override readonly name = "OutcomeUnknown";
}
