/*
 * The boundary between the transport and everything above it: a handler gets a request and returns a reply. Only the
 * transport knows how bytes are received and sent.
 */

export interface HttpRequest {
  readonly method: string;
  /** The request target exactly as the client sent it, in origin form: a path and an optional query string. */
  readonly target: string;
  /** Returns the value of a header field by its lower-case name. Several fields of one name are joined by ", ". */
  header(name: string): string | undefined;
  /**
   * Reads the whole body.
   * @throws BodyTooLarge when it is longer than `bytesMax`, before reading it if the client announced its length;
   *   BodyQuotaExceeded when other bodies hold the memory; Malformed when it is not delimited as announced;
   *   ClientDisconnected when the client did not send all of it, or the request has been answered
   */
  body(bytesMax: number): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Reads the whole body and drops it. This takes no memory, so it never waits for memory.
   * @throws BodyTooLarge, Malformed and ClientDisconnected, as `body` does
   */
  discardBody(bytesMax: number): Promise<void>;
  /** Releases the memory of the body, which has been read. Call it before work that takes long. */
  releaseBody(): void;
  /** Aborts when the client disconnects before it has received the reply. */
  readonly disconnected: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * A body in memory, as a list of parts if there are several, or a stream of pieces. Small pieces are collected into
   * 64 KiB. If a stream throws, the transport closes the connection before the reply is complete.
   */
  readonly body: WholeBody | ReplyStream;
}

type Bytes = Uint8Array<ArrayBuffer>;

export type WholeBody = string | Bytes | readonly Bytes[] | null;

export type ReplyStream = AsyncIterable<Bytes>;

export function isStream(body: Reply["body"]): body is ReplyStream {
  return body !== null && typeof body !== "string" && !(body instanceof Uint8Array) && !Array.isArray(body);
}

export function partsOf(body: Exclude<WholeBody, string>): readonly Bytes[] {
  if (body === null) return [];
  return body instanceof Uint8Array ? [body] : body;
}

export function lengthOf(parts: readonly Bytes[]): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}

/** Rejects only with NoReply: the transport then closes the connection without a reply. */
export type Handler = (request: HttpRequest) => Promise<Reply>;

export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

/** A request body found no memory in time, since other bodies take all that there is for bodies of its size. */
export class BodyQuotaExceeded extends Error {
  override readonly name = "BodyQuotaExceeded";
}

/** A request that cannot be parsed, or that must be rejected. `message` is one line for the client. */
export class Malformed extends Error {
  override readonly name = "Malformed";
  readonly status: 400 | 431;

  constructor(reason: string, status: 400 | 431 = 400) {
    super(reason);
    this.status = status;
  }
}

/** Receives requests, and passes them to a handler. */
export interface Transport {
  /** The TCP port; undefined on a unix socket. */
  readonly port?: number;
  /** Stops accepting, gives running requests at most `graceMilliseconds`, then closes everything. */
  close(graceMilliseconds: number): Promise<void>;
}
