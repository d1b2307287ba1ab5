import { Buffer } from "node:buffer";
import type { LogLevel } from "../log/level.ts";
import type { Log } from "../log/log.ts";
import { ApiError, NoReply } from "../model/errors.ts";
import {
  BodyQuotaExceeded,
  BodyTooLarge,
  type Handler,
  type HttpRequest,
  isStream,
  lengthOf,
  partsOf,
  type Reply,
  type ReplyStream,
  type WholeBody,
} from "./exchange.ts";
import { errorReply, isInternal, plainErrorReply } from "./error_replies.ts";
import type { OriginCheck } from "./own_origin.ts";
import { reasonFor } from "./reasons.ts";
import { emptyReply } from "./replies.ts";
import type { RequestMetrics } from "./request_metrics.ts";
import { makeRouter, type Route, type RoutedRequest, type Router, type Routing } from "./router.ts";
import { pathOf } from "./target.ts";

/** The maximum length of a request body, and the message for a longer one. */
export interface BodyLimit {
  readonly bytesMax: number;
  readonly message: string;
}

export interface PipelineOptions {
  readonly routes: readonly Route[];
  /**
   * Throws the error for a request that matches no route. Without it, the reply says that the path or method does not
   * exist.
   */
  readonly rejectOthers?: () => never;
  /** Rejects requests from foreign web pages; undefined when requests from every page are allowed. */
  readonly originCheck?: OriginCheck | undefined;
  /** Checks the `Authorization` header; undefined when no token is required. */
  readonly tokenAccepted: ((authorization: string | undefined) => boolean) | undefined;
  readonly bodyLimit: BodyLimit;
  readonly log: Pick<Log, "write" | "isWanted" | "rejected">;
  readonly metrics: Pick<RequestMetrics, "ended">;
  /** Called with every failure that the client sees only as `500`. */
  readonly reportFailure: (error: Error) => void;
}

interface LeveledReply {
  readonly reply: Reply;
  readonly level: LogLevel;
}

/** Statuses in the access log of requests without a reply: the client disconnected, or the outcome is unknown. */
const CLIENT_LEFT_STATUS = 499;

const NO_CAPACITY = "too many large request bodies are being received; send this one again later";

/**
 * Handles every request in these steps: origin, token, path, method, then the route's own checks, which begin with the
 * body's size. Every error becomes a reply here, and each request becomes one line in the access log.
 */
export function makePipeline(options: PipelineOptions): Handler {
  const find = makeRouter(options.routes);
  return async (request) => {
    const started = performance.now();
    let route: Route | undefined;
    let answer: LeveledReply;
    try {
      const checked = check(options, find, request);
      if (checked.kind === "found") route = checked.route;
      answer = checked.kind === "answered" ? checked : await handled(checked, request, options.bodyLimit);
    } catch (error) {
      if (error instanceof NoReply) {
        const left = error.name === "ClientDisconnected";
        const status = left ? CLIENT_LEFT_STATUS : 500;
        log(options, left ? "debug" : "error", request, status, 0, started);
        if (!left) logReason(options, request, status, error);
        options.metrics.ended(route, status, started);
        throw error;
      }
      if (isInternal(error)) options.reportFailure(error as Error);
      answer = errorReply(error);
      logReason(options, request, answer.reply.status, error);
    }
    return followed(options, answer, request, started, route);
  };
}

/** Checks a request's origin and token, then finds its route or its reply. */
function check(
  options: PipelineOptions,
  find: Router,
  request: HttpRequest,
): Extract<Routing, { kind: "found" }> | LeveledReply & { readonly kind: "answered" } {
  const foreign = options.originCheck?.(request);
  if (foreign !== undefined) {
    const line = `rejected without a token: ${foreign}`;
    return { kind: "answered", reply: plainErrorReply(403, line), level: "info" };
  }
  if (options.tokenAccepted?.(request.header("authorization")) === false) {
    throw new ApiError("Unauthorized", "missing or invalid bearer token");
  }
  const routing = find(request.method, pathOf(request.target));
  if (routing.kind === "found") return routing;
  options.rejectOthers?.();
  const reply = routing.kind === "unknownPath"
    ? plainErrorReply(404, "unknown path")
    : plainErrorReply(405, `this path allows only ${routing.allow}`, { "Allow": routing.allow });
  return { kind: "answered", reply, level: "info" };
}

async function handled(
  { route, segments }: Extract<Routing, { kind: "found" }>,
  request: HttpRequest,
  limit: BodyLimit,
): Promise<LeveledReply> {
  const { body, handle, level = "debug" } = route;
  const routed = new LimitedRequest(request, segments, limit);
  if (body === "ignored") await routed.discardBody();
  const reply = await handle(routed);
  return { reply: request.method === "HEAD" ? withoutBody(reply) : reply, level };
}

/** A request with a route, and with the limit on its body. */
class LimitedRequest implements RoutedRequest {
  readonly segments: readonly string[];
  readonly #request: HttpRequest;
  readonly #limit: BodyLimit;

  constructor(request: HttpRequest, segments: readonly string[], limit: BodyLimit) {
    this.segments = segments;
    this.#request = request;
    this.#limit = limit;
  }

  get query(): string {
    const { target } = this.#request;
    return target.slice(pathOf(target).length + 1);
  }

  get disconnected(): AbortSignal {
    return this.#request.disconnected;
  }

  header(name: string): string | undefined {
    return this.#request.header(name);
  }

  releaseBody(): void {
    this.#request.releaseBody();
  }

  async body(): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return await this.#request.body(this.#limit.bytesMax);
    } catch (error) {
      throw bodyError(error, this.#limit);
    }
  }

  async discardBody(): Promise<void> {
    try {
      await this.#request.discardBody(this.#limit.bytesMax);
    } catch (error) {
      throw bodyError(error, this.#limit);
    }
  }
}

/** Returns the error for the client when its request body could not be read. */
function bodyError(error: unknown, limit: BodyLimit): unknown {
  if (error instanceof BodyTooLarge) return new ApiError("PayloadTooLarge", limit.message);
  if (error instanceof BodyQuotaExceeded) return new ApiError("Unavailable", NO_CAPACITY);
  return error;
}

function withoutBody(reply: Reply): Reply {
  const { body } = reply;
  const length = isStream(body) ? {} : { "Content-Length": String(bodyBytes(body)) };
  return emptyReply(reply.status, { ...reply.headers, ...length });
}

function log(
  options: PipelineOptions,
  level: LogLevel,
  { method, target }: HttpRequest,
  status: number,
  bytes: number,
  started: number,
): void {
  const milliseconds = performance.now() - started;
  options.log.write(level, { method, path: pathOf(target), status, bytes, milliseconds });
}

/** Writes the line with the reason, for statuses that have one. */
function logReason(
  options: PipelineOptions,
  { method, target }: HttpRequest,
  status: number,
  error: unknown,
): void {
  const reason = reasonFor(status, error);
  if (reason !== undefined) options.log.rejected({ method, path: pathOf(target), status }, reason);
}

/** Counts the request, and writes its line in the access log: now, or when the reply's stream has ended. */
function followed(
  options: PipelineOptions,
  { reply, level }: LeveledReply,
  request: HttpRequest,
  started: number,
  route: Route | undefined,
): Reply {
  const { status, body } = reply;
  if (isStream(body)) {
    const done = (bytes: number): void => {
      log(options, level, request, status, bytes, started);
      options.metrics.ended(route, status, started);
    };
    return { ...reply, body: watched(body, done, options.reportFailure) };
  }
  // Most lines are below the log level, and counting the bytes takes time.
  if (options.log.isWanted(level)) log(options, level, request, status, bodyBytes(body), started);
  options.metrics.ended(route, status, started);
  return reply;
}

/** Returns the same stream, and counts its bytes. This is the only place that sees a failure in the middle of it. */
async function* watched(
  stream: ReplyStream,
  done: (bytes: number) => void,
  reportFailure: PipelineOptions["reportFailure"],
): ReplyStream {
  let bytes = 0;
  try {
    for await (const piece of stream) {
      bytes += piece.length;
      yield piece;
    }
  } catch (error) {
    if (!(error instanceof NoReply)) reportFailure(error as Error);
    throw error;
  } finally {
    done(bytes);
  }
}

/** Returns the size of a body that is complete in memory. */
function bodyBytes(body: WholeBody): number {
  return typeof body === "string" ? Buffer.byteLength(body) : lengthOf(partsOf(body));
}
