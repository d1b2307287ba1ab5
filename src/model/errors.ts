export type LogLevel = "debug" | "info" | "warning" | "error";

/**
 * Every error code of the interface: its status, the level of its line in the access log, and the one place
 * that is asked when an error becomes a reply.
 */
export const errorTable = {
  InvalidRequest: { status: 400, level: "info" },
  Unauthorized: { status: 401, level: "info" },
  ProjectionNotFound: { status: 404, level: "debug" },
  TransactionNotFound: { status: 404, level: "debug" },
  ConcurrencyException: { status: 409, level: "debug" },
  TransactionBusy: { status: 409, level: "info" },
  NotPaused: { status: 409, level: "info" },
  TicketNotActive: { status: 410, level: "debug" },
  PayloadTooLarge: { status: 413, level: "info" },
  InternalError: { status: 500, level: "error" },
  WriteQueueFull: { status: 503, level: "warning" },
  TransactionQueueFull: { status: 503, level: "warning" },
  TooManyTransactions: { status: 503, level: "warning" },
  Paused: { status: 503, level: "debug" },
  ShuttingDown: { status: 503, level: "info" },
  Unavailable: { status: 503, level: "error" },
} as const satisfies Record<string, { status: number; level: LogLevel }>;

export type ErrorCode = keyof typeof errorTable;

/** A request that is answered with an error of the interface. `detail` is the `message` of the envelope. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, detail?: string) {
    super(detail === undefined ? code : `${code}: ${detail}`);
    this.name = "Refusal";
    this.code = code;
    this.detail = detail;
  }
}

/** A request that asks for more than a limit allows, which its client may not have known. */
export class LimitReached extends Refusal {
  constructor(detail: string) {
    super("InvalidRequest", detail);
  }
}

/** A request that gets no answer at all: its connection is closed. */
export class NoReply extends Error {
  override readonly name: string = "NoReply";
}

/** The client closed its connection while its request waited. Nothing was written; nobody is left to answer. */
export class ClientLeft extends NoReply {
  override readonly name = "ClientLeft";
}

/** Nobody can tell whether a write happened: its COMMIT failed, and so did the attempt to find out. */
export class OutcomeUnknown extends NoReply {
  override readonly name = "OutcomeUnknown";
}
