import { ConnectionLost, Unavailable } from "./errors.ts";
import { failureOf } from "./failures.ts";
import { errorOf } from "./replies.ts";
import type { Transport, TransportReply } from "./transport/transport.ts";

/** The header with the ID of the store. */
export const STORE_HEADER = "x-service-store";

/** Nearly the longest timeout of a timer: 23 days. */
const MILLISECONDS_MAX = 2e9;

/** The way to a server. */
export interface Contact {
  readonly transport: Transport;
  /** True if the server itself has answered. Before that, the address may be wrong. */
  hasAnswered?: boolean;
}

/** A request to send, and how to interpret its end. */
export interface Call {
  readonly method: "QUERY" | "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status of an answer without error. Default 200. */
  readonly success?: 204 | undefined;
  /** True if it may change the store. Then its outcome is unknown without an answer. */
  readonly changes?: boolean;
  /** How long the server may wait before it answers, in addition to the time for an answer. */
  readonly waitSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An answer without error, whose head has been received. `text`, `lines` or `leave` ends it. */
export interface Answer {
  /** A field of the head that every such answer has; `name` in lower case. */
  header(name: string): string;
  /** The whole body. */
  text(): Promise<string>;
  /** The lines of the body as they are received. Text after the last line feed is ignored. */
  lines(): AsyncGenerator<readonly string[]>;
  /** Closes the connection, even if the answer is not complete. */
  leave(): void;
  /**
   * Parses an object from JSON text in the body. @throws ConnectionLost when it is none: then another program has
   * answered
   */
  json<T>(text: string): T;
  /** The error for an answer that the server would not send. */
  lost(message: string): ConnectionLost;
}

/** The timeouts of a request. The wait ends with an answer, with the caller's signal, or when it takes too long. */
interface Timeouts {
  /** The signal for the request. */
  readonly signal: AbortSignal;
  /** Waits for a part of the answer. */
  wait<T>(work: () => Promise<T>, moreSeconds?: number): Promise<T>;
  /** Call it when the whole answer has been received. */
  end(): void;
  /** Closes the connection. */
  leave(): void;
  lost(message: string, code?: string, cause?: unknown): ConnectionLost;
}

function timeoutFor(contact: Contact, { changes, signal }: Call, answerSeconds: number): Timeouts {
  const controller = new AbortController();
  let fail: (reason: unknown) => void = () => {};
  const abort = (reason?: unknown): void => {
    controller.abort(reason);
    fail(controller.signal.reason);
  };
  const stop = (): void => abort(signal!.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", stop);
  const timeouts: Timeouts = {
    signal: controller.signal,
    async wait<T>(work: () => Promise<T>, moreSeconds = 0): Promise<T> {
      const seconds = answerSeconds + moreSeconds;
      const late = (): void => abort(timeouts.lost(`no answer within ${seconds} s`, "Timeout"));
      const timer = setTimeout(late, Math.min(1000 * seconds, MILLISECONDS_MAX));
      try {
        controller.signal.throwIfAborted();
        // Some transports do not stop when they are aborted. (`Promise.race` with one promise for all parts of an
        // answer would hold each of them in memory until the last.)
        return await new Promise<T>((resolve, reject) => {
          fail = reject;
          work().then(resolve, reject);
        });
      } catch (error) {
        timeouts.end();
        if (controller.signal.aborted) throw controller.signal.reason;
        const { reason, isUnsent } = failureOf(error);
        if (!isUnsent) throw timeouts.lost(reason, "ConnectionLost", error);
        const code = contact.hasAnswered ? "Unreachable" : "NeverReached";
        const message = `cannot reach ${contact.transport.address || "the server"} (${reason})`;
        throw new Unavailable({ code, message, cause: error });
      } finally {
        clearTimeout(timer);
      }
    },
    end: () => signal?.removeEventListener("abort", stop),
    leave() {
      timeouts.end();
      abort();
    },
    lost: (message, code, cause) =>
      new ConnectionLost({ code: code ?? "BadAnswer", message, cause }, changes),
  };
  return timeouts;
}

/**
 * Sends one request, with the common headers. It throws an `Unavailable` when there is no connection, and a
 * `ConnectionLost` when the answer does not come, breaks off or is not one of the server's. An error answer becomes
 * the error that it names. When the caller's signal ended the request, it throws the reason of the signal.
 */
export async function exchange(
  contact: Contact,
  answerSeconds: number,
  common: Readonly<Record<string, string>>,
  call: Call,
): Promise<Answer> {
  const { method, path, body, success = 200, changes, waitSeconds } = call;
  const timeouts = timeoutFor(contact, call, answerSeconds);
  const { wait, leave, lost } = timeouts;
  const request = {
    method,
    path,
    headers: { ...common, ...call.headers },
    body: JSON.stringify(body),
    signal: timeouts.signal,
  };
  const reply = await wait(() => contact.transport.send(request), waitSeconds);
  const named = reply.header("x-service-error");
  contact.hasAnswered ||= !!(named || reply.header(STORE_HEADER));
  const text = (): Promise<string> => wait(() => reply.text()).finally(timeouts.end);
  const { status } = reply;
  if (status !== success) {
    const said = await text();
    const location = status < 400 && reply.header("location");
    throw errorOf(status, named, location ? `a redirect to ${location}` : said, changes);
  }
  return {
    header(name) {
      const value = reply.header(name);
      if (value) return value;
      leave();
      throw lost(`an answer without ${name}`);
    },
    text,
    async *lines() {
      // A body with a length is short: one step instead of many.
      if (reply.header("content-length")) yield (await text()).split("\n").slice(0, -1);
      else yield* linesOf(reply, timeouts);
    },
    json(text) {
      try {
        const value = JSON.parse(text);
        if (Object(value) === value) return value;
      } catch {
        // The error is thrown below.
      }
      throw errorOf(status, undefined, text, changes);
    },
    leave,
    lost,
  };
}

async function* linesOf(
  reply: TransportReply,
  { wait, end, leave }: Timeouts,
): AsyncGenerator<readonly string[]> {
  const pieces = reply.pieces()[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let close = leave;
  try {
    for (let rest = "";;) {
      // The timeout covers only the wait, not the time that the caller needs in between.
      const { done, value } = await wait(() => pieces.next());
      if (done) {
        close = end;
        return;
      }
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop()!;
      yield lines;
    }
  } finally {
    close();
  }
}
