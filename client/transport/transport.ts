/** A request, with everything that the server must know. */
export interface TransportRequest {
  /** `QUERY`, `GET`, `POST` or `DELETE`. */
  readonly method: string;
  /** From the first slash on, percent-encoded. */
  readonly path: string;
  /** By name, in lower case. */
  readonly headers: Record<string, string>;
  /** JSON text; none when undefined. */
  readonly body: string | undefined;
  /** Ends the request: the connection is closed, also while its answer is read. */
  readonly signal: AbortSignal;
}

/** An answer whose head has arrived. One of the two ways to its body is used, once. */
export interface TransportReply {
  /** Such as 200. */
  readonly status: number;
  /** A field of the head, its name in lower case; empty when it is not there. */
  header(name: string): string | null | undefined;
  /** The whole body. Fails when the answer breaks off. */
  text(): Promise<string>;
  /** The body as it arrives. Fails when the answer breaks off. */
  pieces(): AsyncIterable<Uint8Array>;
}

/** How requests get to the server. Tests can put in another one. */
export interface Transport {
  /** Fails when no answer begins, with whatever error. */
  send(request: TransportRequest): Promise<TransportReply>;
}
