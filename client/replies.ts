import {
  Conflict,
  type ConflictDetail,
  ConnectionLost,
  EventStoreError,
  Refused,
  Unavailable,
} from "./errors.ts";

/** How much of a text that is no JSON is shown. */
const TEXT_MAX = 200;

/**
 * What the server answers when it has written nothing. Of a code that a later server may have, the client does not
 * know that.
 */
const NOTHING_WRITTEN =
  /^(ConcurrencyException|In(ternalError|validRequest)|(Not)?Paused|PayloadTooLarge|(Projection|Transaction)NotFound|ShuttingDown|Standby|TicketNotActive|TooManyTransactions|TransactionBusy|(Transaction|Write)QueueFull|Una(uthorized|vailable))$/;

interface Envelope {
  readonly error?: string;
  readonly message?: string;
  readonly conflict?: ConflictDetail;
}

/**
 * The error that an answer stands for. Only one that names a code in `X-Service-Error` is the server's own word. Any
 * other comes from something in between, such as a proxy, or a page that asks for a password: then it is unknown what
 * the server did.
 * @param named what that header says
 */
export function errorOf(
  status: number,
  named: string | null | undefined,
  text: string,
  changes: boolean | undefined,
): EventStoreError {
  const { error, message, conflict } = envelopeOf(text);
  const parts = named && error === named
    ? { code: named, status, message, conflict }
    : { code: named || `HTTP${status}`, status, message: text.trim().slice(0, TEXT_MAX) };
  if (!NOTHING_WRITTEN.test(named!)) {
    return new (status >= 500 || status < 300 ? ConnectionLost : Refused)(parts, changes);
  }
  if (named === "ConcurrencyException") return new Conflict(parts);
  if (status === 503) return new Unavailable(parts);
  return status < 500 ? new Refused(parts) : new EventStoreError(parts);
}

/** The parts of an error, if the text has them. */
function envelopeOf(text: string): Envelope {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
