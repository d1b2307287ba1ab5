import {
  Conflict,
  type ConflictDetail,
  ConnectionLost,
  EventStoreError,
  Refused,
  Unavailable,
} from "./errors.ts";

/** The most characters of a text other than JSON that a message quotes. */
const TEXT_MAX = 200;

/**
 * Codes that say that the server has written nothing. Codes of later servers are not in it, so the client does not
 * assume that of them.
 */
const NOTHING_WRITTEN =
  /^(ConcurrencyException|DiskFull|Forbidden|In(ternalError|validRequest)|(Not)?Paused|PayloadTooLarge|(Projection|Subject|Transaction)NotFound|ShuttingDown|Standby|TicketNotActive|TooManyTransactions|TransactionBusy|(Transaction|Write)QueueFull|Una(uthorized|vailable))$/;

interface Envelope {
  readonly error?: string;
  readonly message?: string;
  readonly conflict?: ConflictDetail;
}

/**
 * Returns the error for an answer. Only an answer with a code in `X-Service-Error` comes from the server itself.
 * Any other comes from a program in between, such as a proxy or a login page. Then the client does not know what
 * the server did.
 * @param named the value of that header
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
  if (status > 500) return new Unavailable(parts);
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
