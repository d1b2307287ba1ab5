import {
  Conflict,
  type ConflictDetail,
  ConnectionLost,
  EventStoreError,
  Refused,
  Unavailable,
} from "./errors.ts";

/** How much of an answer that is not the server's own is shown. */
const FOREIGN_TEXT_MAX = 200;

interface Envelope {
  readonly error: string;
  readonly message?: string;
  readonly conflict?: ConflictDetail;
}

/**
 * The error that an answer stands for. One of 500 and above without the server's own words comes from something
 * in between, such as a proxy that lost the server: then it is unknown what the server did. So it is after a good
 * one that the server does not give, such as a page that asks for a password.
 */
export function errorOf(status: number, text: string, changes: boolean | undefined): EventStoreError {
  const envelope = envelopeOf(status, text);
  if (!envelope) {
    const parts = { code: `HTTP${status}`, status, message: text.trim().slice(0, FOREIGN_TEXT_MAX) };
    return status >= 500 || status < 300 ? new ConnectionLost(parts, changes) : new Refused(parts);
  }
  const { error: code, message, conflict } = envelope;
  const parts = { code, status, message, conflict };
  if (code === "ConcurrencyException") return new Conflict(parts);
  if (status === 503) return new Unavailable(parts);
  return status < 500 ? new Refused(parts) : new EventStoreError(parts);
}

function envelopeOf(status: number, text: string): Envelope | undefined {
  try {
    const value = JSON.parse(text) as Partial<Envelope> | null;
    const code = value?.error;
    // The server's own code is one word. Proxies also know this shape, with words such as "Bad Gateway".
    const isOwn = status >= 400 && typeof code === "string" && (status < 500 || /^[A-Z]\w+$/.test(code));
    return isOwn ? value as Envelope : undefined;
  } catch {
    return undefined;
  }
}
