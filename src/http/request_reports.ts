import { Buffer } from "node:buffer";
import type { Log, LogLevel } from "../log/log.ts";
import type { Access } from "../model/access.ts";
import { ApiError, NoReply } from "../model/errors.ts";
import { ERROR_HEADER, isInternal, type LeveledReply } from "./error_replies.ts";
import {
  type HttpRequest,
  isStream,
  lengthOf,
  Malformed,
  partsOf,
  type Reply,
  type ReplyStream,
  type WholeBody,
} from "./exchange.ts";
import type { RequestMetrics } from "./request_metrics.ts";
import type { Route } from "./router.ts";
import { pathOf } from "./target.ts";

export interface ReportOptions {
  readonly log: Pick<Log, "write" | "isWanted" | "rejected">;
  readonly metrics: Pick<RequestMetrics, "ended">;
  /** Called with every failure that the client sees only as `500`. */
  readonly reportFailure: (error: Error) => void;
}

export interface BegunRequest {
  readonly request: HttpRequest;
  /** In milliseconds of `performance.now()`. */
  readonly startedAt: number;
  /** undefined while it is not known, and for a request without one. */
  route: Route | undefined;
  /** undefined while it is not known, and where no token is required. */
  access: Access | undefined;
}

/** Status in the access log of a request without a reply, because the client disconnected. */
const CLIENT_LEFT_STATUS = 499;

/** Reports how requests end: counts each of them, and writes its lines in the log. */
export class RequestReports {
  readonly #options: ReportOptions;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** The request gets no reply: the client disconnected, or the outcome is unknown. */
  unanswered(begun: BegunRequest, error: NoReply): void {
    const left = error.name === "ClientDisconnected";
    const status = left ? CLIENT_LEFT_STATUS : 500;
    this.#ended(begun, left ? "debug" : "error", status, 0);
    if (!left) this.#reject(begun, status, error);
  }

  /** The reply to the request is an error. It is reported as `answered`, too. */
  failed(begun: BegunRequest, { reply }: LeveledReply, error: unknown): void {
    if (isInternal(error)) this.#options.reportFailure(error as Error);
    this.#reject(begun, reply.status, error);
  }

  /** @returns the reply to send. If it is a stream, the request ends with it */
  answered(begun: BegunRequest, { reply, level }: LeveledReply): Reply {
    const { status, body, headers } = reply;
    if (isStream(body)) {
      const done = (bytes: number): void => this.#ended(begun, level, status, bytes);
      return { ...reply, body: watched(body, done, this.#options.reportFailure) };
    }
    this.#ended(begun, level, status, body, headers[ERROR_HEADER]);
    return reply;
  }

  /**
   * @param sent the body of the reply, or how many bytes of it were sent
   * @param code the error code of the reply
   */
  #ended(
    { request, startedAt, route, access }: BegunRequest,
    level: LogLevel,
    status: number,
    sent: WholeBody | number,
    code?: string,
  ): void {
    const { log, metrics } = this.#options;
    // Most lines are below the log level, and counting the bytes takes time.
    if (log.isWanted(level)) {
      const { method, target } = request;
      const milliseconds = performance.now() - startedAt;
      const bytes = typeof sent === "number" ? sent : bodyBytes(sent);
      const token = access?.name === undefined ? {} : { token: access.name };
      log.write(level, { method, path: pathOf(target), status, bytes, milliseconds, ...token });
    }
    metrics.ended(route, status, startedAt, code);
  }

  /** Writes the line with the reason, for statuses that have one. */
  #reject({ request: { method, target } }: BegunRequest, status: number, error: unknown): void {
    const reason = reasonFor(status, error);
    if (reason !== undefined) this.#options.log.rejected({ method, path: pathOf(target), status }, reason);
  }
}

/** Returns the same stream, and counts its bytes. This is the only place that sees a failure in the middle of it. */
async function* watched(
  stream: ReplyStream,
  done: (bytes: number) => void,
  reportFailure: ReportOptions["reportFailure"],
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

export function bodyBytes(body: WholeBody): number {
  return typeof body === "string" ? Buffer.byteLength(body) : lengthOf(partsOf(body));
}

/** The statuses for which the log can say why. */
const REASONED_STATUSES: readonly number[] = [400, 413, 500, 507];

/** Quoted texts that messages contain themselves, and do not repeat from a body. */
const OWN_QUOTES: readonly string[] = ['"*"', '"all"', '"none"', '"from"', '"before"'];

/**
 * Returns why a request was answered with this status, for the log: the message of the answer without any text
 * repeated from the body. Returns undefined for a status that needs no reason.
 */
export function reasonFor(status: number, error: unknown): string | undefined {
  if (!REASONED_STATUSES.includes(status)) return undefined;
  if (error instanceof Malformed) return error.message;
  if (error instanceof ApiError) return withoutBody(error.detail ?? error.code);
  // The failure itself is reported with its stack, or ends the process.
  return error instanceof NoReply ? "the outcome is unknown; there was no answer" : "unexpected server error";
}

/**
 * Removes from a message everything that it repeats from the body: texts in quotes (`quoted` in src/wire/invalid.ts),
 * text that the parser quotes when it is not JSON, and numbers that are too large.
 */
function withoutBody(message: string): string {
  return message
    .replaceAll(/"(?:[^"\\]|\\.)*"/gs, (text) => OWN_QUOTES.includes(text) ? text : '"..."')
    .replace(
      / is not valid JSON: .*?( at position \d+)?( \(line \d+ column \d+\))?$/s,
      " is not valid JSON$1",
    )
    .replace(/ is \d+, more than /, " is more than ");
}
