import { type Access, EVERYTHING, PROBE } from "../model/access.ts";
import { ApiError, ClientDisconnected, type ErrorCode, NoReply } from "../model/errors.ts";
import type { Tokens } from "./authorization.ts";
import {
  BodyQuotaExceeded,
  BodyTooLarge,
  type Handler,
  type HttpRequest,
  isStream,
  type Reply,
} from "./exchange.ts";
import { errorReply, type LeveledReply, plainErrorReply } from "./error_replies.ts";
import type { OriginCheck } from "./own_origin.ts";
import { emptyReply } from "./replies.ts";
import { type BegunRequest, bodyBytes, type ReportOptions, RequestReports } from "./request_reports.ts";
import { makeRouter, type Route, type RoutedRequest, type Router, type Routing } from "./router.ts";
import { pathOf } from "./target.ts";

/** The maximum length of a request body, and the message for a longer one. */
export interface BodyLimit {
  readonly bytesMax: number;
  readonly message: string;
}

export interface PipelineOptions extends ReportOptions {
  readonly routes: readonly Route[];
  /**
   * Throws the error for a request that matches no route. Without it, the reply says that the path or method does not
   * exist.
   */
  readonly rejectOthers?: () => never;
  /** Rejects requests from foreign web pages; undefined when requests from every page are allowed. */
  readonly originCheck?: OriginCheck | undefined;
  /** The valid tokens; undefined when no token is required. */
  readonly tokens: Pick<Tokens, "accept"> | undefined;
  /** True when `GET /health` needs no token. */
  readonly openHealth?: boolean;
  readonly bodyLimit: BodyLimit;
}

const NO_CAPACITY = "too many large request bodies are being received; send this one again later";

/**
 * Handles every request in these steps: origin, token, path, method, then the route's own checks, which begin with the
 * body's size. Every error becomes a reply here, and the end of each request is reported.
 */
export function makePipeline(options: PipelineOptions): Handler {
  const find = makeRouter(options.routes);
  const reports = new RequestReports(options);
  return async (request) => {
    const begun: BegunRequest = {
      request,
      startedAt: performance.now(),
      route: undefined,
      access: undefined,
    };
    let answer: LeveledReply;
    try {
      const checked = check(options, find, begun);
      if (checked.kind === "found") {
        const { route, segments } = checked;
        begun.route = route;
        const routed = new LimitedRequest(request, segments, options.bodyLimit, begun.access ?? EVERYTHING);
        if (route.body === "ignored") await routed.discardBody();
        const reply = await route.handle(routed);
        answer = {
          reply: request.method === "HEAD" ? withoutBody(reply) : reply,
          level: route.level ?? "debug",
        };
      } else answer = checked;
    } catch (thrown) {
      const error = errorFor(begun.access, thrown);
      if (error instanceof NoReply) {
        reports.unanswered(begun, error);
        throw error;
      }
      answer = errorReply(error);
      reports.failed(begun, answer, error);
    }
    return reports.answered(begun, answer);
  };
}

/** Checks a request's origin and token, finds its route or its reply, and checks the right that the route needs. */
function check(
  options: PipelineOptions,
  find: Router,
  begun: BegunRequest,
): Extract<Routing, { kind: "found" }> | LeveledReply & { readonly kind: "answered" } {
  const { request } = begun;
  const foreign = options.originCheck?.(request);
  if (foreign !== undefined) {
    const line = `rejected without a token: ${foreign}`;
    return { kind: "answered", reply: plainErrorReply(403, line), level: "info" };
  }
  if (options.tokens !== undefined) {
    begun.access = accessOf(options.tokens, options.openHealth === true, request);
  }
  const routing = find(request.method, pathOf(request.target));
  if (routing.kind === "found") {
    if (begun.access !== undefined) assertRight(begun.access, routing.route.right);
    return routing;
  }
  options.rejectOthers?.();
  const reply = routing.kind === "unknownPath"
    ? plainErrorReply(404, "unknown path")
    : plainErrorReply(405, `this path allows only ${routing.allow}`, { "Allow": routing.allow });
  return { kind: "answered", reply, level: "info" };
}

/** Errors of requests whose wait, transaction or ticket has ended, which also happens when a token is removed. */
const ENDED: readonly ErrorCode[] = ["TransactionNotFound", "TicketNotActive"];

/**
 * Returns the error for the client: nothing more than its code for a probe, and `401` for what ended with its token.
 * The outcome of a write stays what it is.
 */
function errorFor(access: Access | undefined, thrown: unknown): unknown {
  const code = thrown instanceof ApiError ? thrown.code : undefined;
  const hasEnded = thrown instanceof ClientDisconnected || code !== undefined && ENDED.includes(code);
  if (hasEnded && access?.gone?.aborted === true) return unauthorized();
  return access === PROBE && code !== undefined ? new ApiError(code) : thrown;
}

/** @throws ApiError `Unauthorized` */
function accessOf(tokens: Pick<Tokens, "accept">, isHealthOpen: boolean, request: HttpRequest): Access {
  const authorization = request.header("authorization");
  const access = tokens.accept(authorization);
  if (access !== undefined) return access;
  if (isHealthOpen && authorization === undefined && pathOf(request.target) === "/health") return PROBE;
  throw unauthorized();
}

function unauthorized(): ApiError {
  return new ApiError("Unauthorized", "missing or invalid bearer token");
}

/** @throws ApiError `Forbidden` */
function assertRight(access: Access, right: Route["right"]): void {
  const { name, rights } = access;
  if (right === "none" || rights.has(right)) return;
  access.onForbidden?.();
  throw new ApiError("Forbidden", `the token ${name} lacks the right "${right}"`);
}

/** A request with a route, and with the limit on its body. */
class LimitedRequest implements RoutedRequest {
  readonly segments: readonly string[];
  readonly access: Access;
  readonly #request: HttpRequest;
  readonly #limit: BodyLimit;

  constructor(request: HttpRequest, segments: readonly string[], limit: BodyLimit, access: Access) {
    this.segments = segments;
    this.access = access;
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
