/*
 * The seam between the transport and everything above it: a handler gets a request and returns a reply.
 * Only the transport knows how bytes come and go.
 */

export interface HttpRequest {
  readonly method: string;
  /** The request target exactly as the client sent it, in origin form: path and, perhaps, a query string. */
  readonly target: string;
  /** A header field's value by lower-case name; several fields of one name are joined by ", ". */
  header(name: string): string | undefined;
  /**
   * Reads the whole body.
   * @throws BodyTooLarge when it is longer than `bytesMax`, before reading it where the client announced it;
   *   BodyQuotaExceeded when too many others are being read; Malformed when it is not delimited as announced;
   *   ClientDisconnected when the rest of it never came, or nobody is waiting for it any more
   */
  body(bytesMax: number): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Reads the whole body and drops it: that takes no memory, so it waits for none.
   * @throws BodyTooLarge, Malformed and ClientDisconnected, as `body` does
   */
  discardBody(bytesMax: number): Promise<void>;
  /** Gives back the memory of the body, which has been read, to those of other requests: this one will take long. */
  releaseBody(): void;
  /** Aborts when the client leaves before it has received the reply. */
  readonly disconnected: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * All at once, as a list of parts if there are several, or piece by piece; small pieces are collected into 64 KiB. A
   * stream that throws ends the connection in the middle.
   */
  readonly body: WholeBody | ReplyStream;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** A body that is complete in memory. */
export type WholeBody = string | Bytes | readonly Bytes[] | null;

export type ReplyStream = AsyncIterable<Bytes>;

/** Whether a body comes piece by piece. */
export function isStream(body: Reply["body"]): body is ReplyStream {
  return body !== null && typeof body !== "string" && !(body instanceof Uint8Array) && !Array.isArray(body);
}

/** The parts of a body that is not text. */
export function partsOf(body: Exclude<WholeBody, string>): readonly Bytes[] {
  if (body === null) return [];
  return body instanceof Uint8Array ? [body] : body;
}

/** How many bytes they are. */
export function lengthOf(parts: readonly Bytes[]): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}

/** Rejects only with NoReply: the transport then closes the connection without a reply. */
export type Handler = (request: HttpRequest) => Promise<Reply>;

/** A request body is longer than it may be. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

/** A request body found no memory in time, since other bodies take all that there is for bodies of its size. */
export class BodyQuotaExceeded extends Error {
  override readonly name = "BodyQuotaExceeded";
}

/** A request that cannot be understood, or must not be. `message` is one line for the client. */
export class Malformed extends Error {
  override readonly name = "Malformed";
  readonly status: 400 | 431;

  constructor(reason: string, status: 400 | 431 = 400) {
    super(reason);
    this.status = status;
  }
}

/** What carries requests to a handler. */
export interface Transport {
  /** Stops accepting, gives running requests at most `graceMilliseconds`, then closes everything. */
  close(graceMilliseconds: number): Promise<void>;
}
