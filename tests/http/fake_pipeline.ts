import assert from "node:assert/strict";
import type { AccessLine, LogLevel } from "../../src/log/log.ts";
import type { HttpRequest, Reply } from "../../src/http/exchange.ts";
import { makePipeline, type PipelineOptions } from "../../src/http/pipeline.ts";
import { RequestMetrics } from "../../src/http/request_metrics.ts";
import type { Route } from "../../src/http/router.ts";

export interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly authorization?: string;
  /** Other header fields, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads the body. */
  readonly body?: (bytesMax: number) => Promise<Uint8Array<ArrayBuffer>>;
}

/** Creates a pipeline with fake routes. Its log lines, reasons and reported errors are recorded. */
export function setUp(
  handlers: Readonly<Record<string, Route["handle"]>>,
  { body = "ignored", ...options }: Partial<PipelineOptions> & { body?: Route["body"] } = {},
): {
  send: (sent: Sent) => Promise<Reply>;
  lines: (AccessLine & { level: LogLevel })[];
  reported: Error[];
  reasons: string[];
} {
  const lines: (AccessLine & { level: LogLevel })[] = [];
  const reported: Error[] = [];
  const reasons: string[] = [];
  const routes = Object.entries(handlers).map(([name, handle]): Route => {
    const [method, path] = name.split(" ") as [Route["method"], string];
    return { method, path, right: "operate", body, handle };
  });
  const handler = makePipeline({
    routes,
    tokens: undefined,
    bodyLimit: { bytesMax: 10, message: "the body is too long" },
    log: {
      isWanted: () => true,
      write: (level, line) => lines.push({ level, ...line }),
      rejected: ({ path, status }, reason) => reasons.push(`${path} ${status}: ${reason}`),
    },
    metrics: new RequestMetrics(),
    reportFailure: (error) => reported.push(error),
    ...options,
  });
  const send = (sent: Sent): Promise<Reply> => {
    const request: HttpRequest = {
      method: sent.method ?? "GET",
      target: sent.target ?? "/a",
      header: (name) => name === "authorization" ? sent.authorization : sent.headers?.[name],
      body: sent.body ?? nothing,
      discardBody: async (bytesMax) => void await (sent.body ?? nothing)(bytesMax),
      releaseBody: () => {},
      disconnected: new AbortController().signal,
    };
    return handler(request);
  };
  return { send, lines, reported, reasons };
}

const nothing = (): Promise<Uint8Array<ArrayBuffer>> => Promise.resolve(new Uint8Array());

/** Returns the text of a body that is no stream. */
export function wholeText({ body }: Reply): string {
  assert.equal(typeof body, "string");
  return body as string;
}

/** A body that is sent in pieces. */
export async function* streamOf(...pieces: string[]): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for (const piece of pieces) yield new TextEncoder().encode(piece);
}
