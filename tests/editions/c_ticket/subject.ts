import assert from "node:assert/strict";
import type { EventLine } from "../../support/client.ts";
import type { Counts } from "./reference.ts";

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly ticket?: string | undefined;
  readonly body?: string;
  /** True: only half of the body is sent, until `finish` is called. */
  readonly half?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** A request that was sent. */
export interface Sent {
  /** The answer; undefined when there was none. */
  readonly answer: Promise<Answer | undefined>;
  /** Disconnects the client. */
  leave(): void | Promise<void>;
  /** Sends the rest of a half-sent body. */
  finish(): void | Promise<void>;
}

/** An implementation of edition C that serves the calls of a sequence. */
export interface Subject {
  send(request: Request): Sent | Promise<Sent>;
  /** Waits for all effects of the last call: these answers, and the number of requests that stay open. */
  settle(
    expected: { readonly answers: readonly Promise<unknown>[]; readonly httpOpen: number },
  ): Promise<void>;
  pass(seconds: number): Promise<void>;
  restart(): Promise<void>;
  /** The warnings logged since the start. */
  readonly warnings: readonly string[];
  /** The counts of the metrics before the sequence. */
  readonly countsBefore?: Counts | undefined;
}

/** Returns the events of a complete page as text. */
export function linesOf(ndjson: string): string[] {
  const lines = ndjson.split("\n");
  assert.deepEqual(lines.slice(-2), ['{"hasMore":false}', ""], "trailer");
  return lines.slice(0, -2).map((line) => {
    const { sequence, payload } = JSON.parse(line) as EventLine;
    return `${sequence}: ${payload}`;
  });
}
