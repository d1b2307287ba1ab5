import type { LogLevel } from "../log/level.ts";
import type { Log } from "../log/log.ts";
import { NoReply, Refusal } from "../model/errors.ts";
import { BodyTooLarge, type Handler, type HttpRequest, NoRoomForBody, type Reply } from "./exchange.ts";
import { errorReply, isInternal } from "./error_replies.ts";
import type { OriginCheck } from "./own_origin.ts";
import { emptyReply, textReply } from "./replies.ts";
import { makeRouter, type Route, type RoutedRequest, type Routing } from "./router.ts";
import { decodePath, pathOf } from "./target.ts";

/** The longest request body, and what to say about a longer one. */
export interface BodyLimit {
  readonly bytesMax: number;
  readonly message: string;
}

export interface PipelineOptions {
  readonly routes: readonly Route[];
  /** Keeps the pages of others out; undefined when every request may come in. */
  readonly originCheck?: OriginCheck | undefined;
  /** Checks the `Authorization` header; undefined when no request is checked. */
  readonly tokenAccepted: ((authorization: string | undefined) => boolean) | undefined;
  readonly bodyLimit: BodyLimit;
  readonly log: Pick<Log, "write">;
  /** Called with every failure that the client only sees as `500`. */
  readonly reportFailure: (error: Error) => void;
}

interface LeveledReply {
  readonly reply: Reply;
  readonly level: LogLevel;
}

/** Statuses in the access log of requests that got no reply: the client left, or the outcome is unknown. */
const CLIENT_LEFT_STATUS = 499;

const NO_ROOM = "too many large request bodies are being received; send this one again later";

/**
 * The steps of every request, in this order: origin, token, path, method, then the route's own checks, of
 * which the body's size is the first. Whatever goes wrong becomes a reply here, and each request one line
 * in the access log.
 */
export function makePipeline(options: PipelineOptions): Handler {
  const route = makeRouter(options.routes);
  return async (request) => {
    const started = performance.now();
    const log = (level: LogLevel, status: number, bytes: number): void =>
      options.log.write(level, {
        method: request.method,
        path: pathOf(request.target),
        status,
        bytes,
        milliseconds: performance.now() - started,
      });
    const { reply, level } = await replyTo(options, route, request).catch((error) => {
      if (error instanceof NoReply) {
        const left = error.name === "ClientLeft";
        log(left ? "debug" : "error", left ? CLIENT_LEFT_STATUS : 500, 0);
        throw error;
      }
      if (isInternal(error)) options.reportFailure(error as Error);
      return errorReply(error);
    });
    return logged(reply, (bytes) => log(level, reply.status, bytes), options.reportFailure);
  };
}

async function replyTo(
  options: PipelineOptions,
  route: (method: string, path: readonly string[]) => Routing,
  request: HttpRequest,
): Promise<LeveledReply> {
  const foreign = options.originCheck?.(request);
  if (foreign !== undefined) {
    const line = `refused in development mode without a token: ${foreign}`;
    return { reply: textReply(403, line), level: "info" };
  }
  if (options.tokenAccepted?.(request.header("authorization")) === false) {
    throw new Refusal("Unauthorized", "missing or invalid bearer token");
  }
  const path = decodePath(pathOf(request.target));
  const routing = path === undefined ? { kind: "unknownPath" as const } : route(request.method, path);
  if (routing.kind === "unknownPath") return { reply: textReply(404, "unknown path"), level: "info" };
  if (routing.kind === "wrongMethod") {
    const reply = textReply(405, `this path allows only ${routing.allow}`, { "Allow": routing.allow });
    return { reply, level: "info" };
  }
  const { route: { body, handle, level = "debug" }, segments } = routing;
  const routed = routedRequest(request, segments, options.bodyLimit);
  if (body === "ignored") await routed.discardBody();
  const reply = await handle(routed);
  return { reply: request.method === "HEAD" ? withoutBody(reply) : reply, level };
}

function routedRequest(
  request: HttpRequest,
  segments: readonly string[],
  limit: BodyLimit,
): RoutedRequest {
  return {
    segments,
    query: request.target.slice(pathOf(request.target).length + 1),
    header: (name) => request.header(name),
    body: () => request.body(limit.bytesMax).catch((error) => refuseBody(error, limit)),
    discardBody: () => request.discardBody(limit.bytesMax).catch((error) => refuseBody(error, limit)),
    get left() {
      return request.left;
    },
  };
}

function refuseBody(error: unknown, limit: BodyLimit): never {
  if (error instanceof BodyTooLarge) throw new Refusal("PayloadTooLarge", limit.message);
  if (error instanceof NoRoomForBody) throw new Refusal("Unavailable", NO_ROOM);
  throw error;
}

function withoutBody(reply: Reply): Reply {
  const bytes = bodyBytes(reply.body);
  const length = bytes === undefined ? {} : { "Content-Length": String(bytes) };
  return emptyReply(reply.status, { ...reply.headers, ...length });
}

/** Calls `done` with the size of the reply's body: now, or when its stream has ended. */
function logged(
  reply: Reply,
  done: (bytes: number) => void,
  reportFailure: PipelineOptions["reportFailure"],
): Reply {
  const bytes = bodyBytes(reply.body);
  if (bytes !== undefined) {
    done(bytes);
    return reply;
  }
  return { ...reply, body: watched(reply.body as Stream, done, reportFailure) };
}

type Stream = AsyncIterable<Uint8Array<ArrayBuffer>>;

/** The same stream, counted; a failure in the middle of it is visible nowhere else. */
async function* watched(
  stream: Stream,
  done: (bytes: number) => void,
  reportFailure: PipelineOptions["reportFailure"],
): Stream {
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

/** Size of a body that is complete in memory. */
function bodyBytes(body: Reply["body"]): number | undefined {
  if (body === null) return 0;
  return body instanceof Uint8Array ? body.length : undefined;
}
