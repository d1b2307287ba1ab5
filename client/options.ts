import type { PayloadFormat } from "./events.ts";
import type { Transport } from "./transport/transport.ts";

/** What every method takes. */
export interface CallOptions {
  /** Ends the call: it fails with the reason of the signal. A write may have happened nevertheless. */
  readonly signal?: AbortSignal | undefined;
}

/** Where the store is, and how it is spoken to. */
export interface EventStoreOptions {
  /** Such as `http://127.0.0.1:8085`. In a page of the same origin, a path is enough: `/` or `/events-service`. */
  readonly url?: string;
  /** The unix socket of the server, instead of `url`; not in browsers. */
  readonly socketPath?: string;
  /** Sent as `Authorization: Bearer ...`. */
  readonly token?: string;
  /** What the server speaks. Default `A`. */
  readonly edition?: "A" | "B" | "C";
  /** How payloads become text. Default `json`. */
  readonly payload?: PayloadFormat;
  /** How long an answer may take to begin, with connecting, and to go on. Default 30. */
  readonly answerSeconds?: number;
  /** How long a call is repeated that may be repeated, while the server cannot be reached. Default 10. */
  readonly retrySeconds?: number;
  /** Instead of `url` and `socketPath`, for tests. */
  readonly transport?: Transport;
}
