import { ConnectionLost } from "./errors.ts";
import { errorOf } from "./replies.ts";
import type { Transport, TransportReply } from "./transport/transport.ts";

/** Timers know no longer time: 24 days. */
const MILLISECONDS_MAX = 2 ** 31 - 1;

/** A request to be sent, and what its end means. */
export interface Call {
  readonly method: "QUERY" | "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status of a good answer. Default 200. */
  readonly success?: 204 | undefined;
  /** Whether it may change the store, so that without an answer nobody knows. */
  readonly changes?: boolean;
  /** How long the server may keep silent on purpose, besides the time for an answer. */
  readonly waitSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A good answer of which the head has arrived. `text`, `lines` or `leave` ends it. */
export interface Answer {
  /** A field of the head that every such answer has; `name` in lower case. */
  header(name: string): string;
  /** The whole body. */
  text(): Promise<string>;
  /** The lines of the body as they arrive. What follows the last line feed does not count. */
  lines(): AsyncGenerator<readonly string[]>;
  /** Closes the connection, whatever is still to come. */
  leave(): void;
  /** The object of a JSON text in the body. @throws ConnectionLost when it is none: then another program has answered */
  json<T>(text: string): T;
  /** The error for an answer that is not what it should be. */
  lost(message: string): ConnectionLost;
}

/** The wait for a server, which ends with an answer, with the caller's signal, or when it lasts too long. */
interface Timeouts {
  /** Goes with the request. */
  readonly signal: AbortSignal;
  /** Waits for a part of the answer. */
  wait<T>(work: () => Promise<T>, moreSeconds?: number): Promise<T>;
  /** Everything has arrived. */
  end(): void;
  /** Closes the connection. */
  leave(): void;
  lost(message: string, code?: string, cause?: unknown): ConnectionLost;
}

function timeoutFor({ changes, signal }: Call, answerSeconds: number): Timeouts {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal!.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", stop);
  const patience: Timeouts = {
    signal: controller.signal,
    async wait<T>(work: () => Promise<T>, moreSeconds = 0): Promise<T> {
      const seconds = answerSeconds + moreSeconds;
      const late = (): void => controller.abort(patience.lost(`no answer within ${seconds} s`, "Timeout"));
      const timer = setTimeout(late, Math.min(1000 * seconds, MILLISECONDS_MAX));
      try {
        controller.signal.throwIfAborted();
        // Not every transport ends its work when it is aborted. (`Promise.race` with one promise for all parts of an
        // answer would keep each of them until the last.)
        return await new Promise<T>((resolve, reject) => {
          controller.signal.onabort = () => reject(controller.signal.reason);
          work().then(resolve, reject);
        });
      } catch (error) {
        patience.end();
        if (controller.signal.aborted) throw controller.signal.reason;
        throw patience.lost(String(error), "ConnectionLost", error);
      } finally {
        clearTimeout(timer);
      }
    },
    end: () => signal?.removeEventListener("abort", stop),
    leave() {
      patience.end();
      controller.abort();
    },
    lost: (message, code, cause) =>
      new ConnectionLost({ code: code ?? "BadAnswer", message, cause }, changes),
  };
  return patience;
}

/**
 * Sends one request, with the headers that are common to all. It fails with a `ConnectionLost` when the answer does
 * not come, breaks off or confirms something that the server would not, with what was said when that is a rejection, and
 * with the reason of the signal when that ended it.
 */
export async function exchange(
  transport: Transport,
  answerSeconds: number,
  common: Readonly<Record<string, string>>,
  call: Call,
): Promise<Answer> {
  const { method, path, body, success = 200, changes, waitSeconds } = call;
  const patience = timeoutFor(call, answerSeconds);
  const { signal, wait, end, leave, lost } = patience;
  const headers = { ...common, ...call.headers };
  const request = { method, path, headers, body: JSON.stringify(body), signal };
  const reply = await wait(() => transport.send(request), waitSeconds);
  const text = (): Promise<string> => wait(() => reply.text()).finally(end);
  const { status } = reply;
  if (status !== success) {
    const said = await text();
    const location = status < 400 && reply.header("location");
    throw errorOf(
      status,
      reply.header("x-service-error"),
      location ? `a redirect to ${location}` : said,
      changes,
    );
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
      else yield* linesOf(reply, patience);
    },
    json(text) {
      try {
        const value = JSON.parse(text);
        if (Object(value) === value) return value;
      } catch {
        // It is said below.
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
      // Only the waiting counts, not what the reader does in between.
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
