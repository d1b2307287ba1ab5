/** A request as it is sent. */
export interface TransportRequest {
  /** `QUERY`, `GET`, `POST` or `DELETE`. */
  readonly method: string;
  /** From the first slash on, percent-encoded. */
  readonly path: string;
  /** By name, in lower case. */
  readonly headers: Record<string, string>;
  /** JSON text; undefined for no body. */
  readonly body: string | undefined;
  /** Its own: ends the request by closing the connection, even while the answer is read. */
  readonly signal: AbortSignal;
}

/** An answer whose head has been received. Read its body with one of the two methods, once. */
export interface TransportReply {
  /** Such as 200. */
  readonly status: number;
  /** A field of the head, its name in lower case; empty when it is missing. */
  header(name: string): string | null | undefined;
  /** The whole body. Fails when the answer breaks off. */
  text(): Promise<string>;
  /** The body as it is received. Fails when the answer breaks off. */
  pieces(): AsyncIterable<Uint8Array>;
}

/** Sends requests to the server. Tests can supply another one. */
export interface Transport {
  /** Names the server in messages. */
  readonly address?: string;
  /** Fails with any error when no answer begins. */
  send(request: TransportRequest): Promise<TransportReply>;
}
