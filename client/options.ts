import type { PayloadFormat, StoredEvent } from "./events.ts";
import type { OpenTelemetry } from "./open_telemetry.ts";
import type { Transport } from "./transport/transport.ts";

/** Options that every method has. */
export interface CallOptions {
  /** Ends the call, which throws the reason of the signal. A write may have happened nevertheless. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The choices for an event whose payload is not JSON: the read fails with the code `PayloadNotJson`, or returns the
 * text as the payload, or leaves the event out and gives it to the function, with the text.
 */
export type NotJson = "fail" | "text" | ((event: StoredEvent<Record<string, string>>) => void);

/** The address of the store, and how to talk to it. */
export interface EventStoreOptions {
  /** Such as `http://127.0.0.1:8085`. In a page of the same origin, a path is enough: `/` or `/events-service`. */
  readonly url?: string;
  /** The unix socket of the server, instead of `url`; not in browsers. */
  readonly socketPath?: string;
  /**
   * Further options of the runtime's `fetch`, such as those that add a certificate authority: `client` in Deno,
   * `dispatcher` in Node, `tls` in Bun.
   */
  readonly fetchOptions?: object;
  /** Sent as `Authorization: Bearer ...`. */
  readonly token?: string;
  /** The edition of the server. Default `A`. */
  readonly edition?: "A" | "B" | "C";
  /** How payloads become text. Default `json`. */
  readonly payload?: PayloadFormat;
  /** Decides about an event whose payload is not JSON, so that it stops no reader. Default `fail`. */
  readonly notJson?: NotJson;
  /**
   * Longest wait for an answer to begin (including the connection) and for each further part, in seconds. Default
   * 30.
   */
  readonly answerSeconds?: number;
  /**
   * How long calls that are safe to repeat are repeated while the server cannot be reached, in seconds. Default 10.
   * `follow` and `project` repeat without end once the server has answered.
   */
  readonly retrySeconds?: number;
  /** The module `@opentelemetry/api`: requests become spans, and events carry `traceparent` in their metadata. */
  readonly openTelemetry?: OpenTelemetry;
  /** Replaces `url` and `socketPath`, for tests. */
  readonly transport?: Transport;
}
