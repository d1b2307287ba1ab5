import assert from "node:assert/strict";
import type { EventLine } from "../../support/client.ts";
import type { Counts } from "./reference.ts";

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly ticket?: string | undefined;
  readonly body?: string;
  /** The body stays halfway until the request is told to finish. */
  readonly half?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** A request under way. */
export interface Sent {
  /** Undefined when there was none. */
  readonly answer: Promise<Answer | undefined>;
  /** The client leaves. */
  leave(): void | Promise<void>;
  /** The rest of a half-sent body arrives. */
  finish(): void | Promise<void>;
}

/** What serves the calls of a sequence. */
export interface Subject {
  send(request: Request): Sent | Promise<Sent>;
  /** Waits until everything has happened that the last call brings about: these answers, and so many are left. */
  settle(
    expected: { readonly answers: readonly Promise<unknown>[]; readonly httpOpen: number },
  ): Promise<void>;
  pass(seconds: number): Promise<void>;
  restart(): Promise<void>;
  /** Since the start. */
  readonly warnings: readonly string[];
  /** What the metrics counted before the sequence. */
  readonly countsBefore?: Counts | undefined;
}

/** The events of a complete page. */
export function linesOf(ndjson: string): string[] {
  const lines = ndjson.split("\n");
  assert.deepEqual(lines.slice(-2), ['{"hasMore":false}', ""], "trailer");
  return lines.slice(0, -2).map((line) => {
    const { sequence, payload } = JSON.parse(line) as EventLine;
    return `${sequence}: ${payload}`;
  });
}
