import { type SourceAddress, TimedConn, type TimeLimits } from "./timed_conn.ts";

const LINE_BYTES_MAX = 64 * 1024;
/** Of a head, of the trailers behind a body, and informational answers before the one that counts. */
const HEAD_LINES_MAX = 200;

/** The head of an answer, and its body as it comes. */
export interface Answer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /**
   * The body in pieces, each of which stays as it is until the next one is asked for. Throws when the
   * connection ends before the body does.
   */
  readonly body: AsyncGenerator<Uint8Array, void>;
}

/** The connection ended before the answer began. */
class NoAnswer extends Error {}

/**
 * Sends requests to one server, one after the other over one connection. `fetch` knows no unix socket and no
 * limit for a stalled answer.
 */
export class HttpClient implements Disposable {
  readonly #address: SourceAddress;
  readonly #limits: TimeLimits;
  readonly #stopped: AbortSignal;
  #conn: TimedConn | undefined;

  constructor(address: SourceAddress, limits: TimeLimits, stopped: AbortSignal) {
    this.#address = address;
    this.#limits = limits;
    this.#stopped = stopped;
  }

  /** Sends a request, which must be one that may be sent twice. The answer's body must be read to its end. */
  async request(bytes: Uint8Array): Promise<Answer> {
    const kept = this.#conn;
    this.#conn = undefined;
    if (kept !== undefined) {
      // A server may close a connection that is idle at any time, also just now.
      const answer = await this.#exchange(kept, bytes).catch((error) => {
        kept[Symbol.dispose]();
        if (!(error instanceof NoAnswer)) throw error;
      });
      if (answer !== undefined) return answer;
    }
    const conn = await TimedConn.open(this.#address, this.#limits, this.#stopped);
    try {
      return await this.#exchange(conn, bytes);
    } catch (error) {
      conn[Symbol.dispose]();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#conn?.[Symbol.dispose]();
    this.#conn = undefined;
  }

  async #exchange(conn: TimedConn, bytes: Uint8Array): Promise<Answer> {
    const first = await conn.write(bytes).then(() => conn.line(LINE_BYTES_MAX)).catch(noAnswerIfCut);
    if (first === undefined) throw new NoAnswer("it closed the connection without an answer");
    let status = statusOf(first);
    let headers = await readHeaders(conn);
    for (let count = 0; status < 200; count++) {
      if (count === HEAD_LINES_MAX) {
        throw new Error(`it sent more than ${HEAD_LINES_MAX} informational answers`);
      }
      status = statusOf(await conn.line(LINE_BYTES_MAX) ?? "");
      headers = await readHeaders(conn);
    }
    return { status, headers, body: this.#body(conn, status, headers) };
  }

  async *#body(
    conn: TimedConn,
    status: number,
    headers: ReadonlyMap<string, string>,
  ): AsyncGenerator<Uint8Array, void> {
    let isKept = false;
    try {
      const length = headers.get("content-length");
      if (/\bchunked$/i.test(headers.get("transfer-encoding") ?? "")) yield* chunks(conn);
      else if (length !== undefined) yield* exactly(conn, lengthOf(length, 10));
      else if (status !== 204 && status !== 304) return yield* untilEnd(conn);
      isKept = !/\bclose\b/i.test(headers.get("connection") ?? "");
    } finally {
      if (isKept) this.#conn = conn;
      else conn[Symbol.dispose]();
    }
  }
}

function noAnswerIfCut(error: Error): undefined {
  const isCut = error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe ||
    error instanceof Deno.errors.ConnectionAborted || error instanceof Deno.errors.UnexpectedEof;
  if (!isCut) throw error;
}

function statusOf(line: string): number {
  const status = /^HTTP\/1\.[01] ([1-5][0-9]{2})(?: |$)/.exec(line)?.[1];
  if (status === undefined) throw new Error(`it does not speak HTTP: ${JSON.stringify(line.slice(0, 60))}`);
  return Number(status);
}

async function readHeaders(conn: TimedConn): Promise<Map<string, string>> {
  const headers = new Map<string, string>();
  for (let count = 0; count <= HEAD_LINES_MAX; count++) {
    const line = await conn.line(LINE_BYTES_MAX);
    if (line === undefined) throw new Error("the connection ended in the head of an answer");
    if (line === "") return headers;
    const colon = line.indexOf(":");
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  throw new Error(`it sent a head of more than ${HEAD_LINES_MAX} lines`);
}

async function* chunks(conn: TimedConn): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const head = await conn.line(LINE_BYTES_MAX);
    if (head === undefined) throw cutShort();
    const size = lengthOf(head.split(";")[0]!.trim(), 16);
    if (size === 0) return await skipTrailers(conn);
    yield* exactly(conn, size);
    const end = await conn.line(LINE_BYTES_MAX);
    if (end === undefined) throw cutShort();
    if (end !== "") throw new Error("it sent a chunk that is longer than it says");
  }
}

async function skipTrailers(conn: TimedConn): Promise<void> {
  for (let count = 0; count <= HEAD_LINES_MAX; count++) {
    const trailer = await conn.line(LINE_BYTES_MAX);
    if (trailer === "") return;
    if (trailer === undefined) throw cutShort();
  }
  throw new Error(`it sent a trailer of more than ${HEAD_LINES_MAX} lines`);
}

async function* exactly(conn: TimedConn, length: number): AsyncGenerator<Uint8Array, void> {
  for (let left = length; left > 0;) {
    const piece = await conn.some(left);
    if (piece === undefined) throw cutShort();
    left -= piece.length;
    yield piece;
  }
}

async function* untilEnd(conn: TimedConn): AsyncGenerator<Uint8Array, void> {
  for (let piece = await conn.some(Infinity); piece !== undefined; piece = await conn.some(Infinity)) {
    yield piece;
  }
}

function lengthOf(text: string, radix: 10 | 16): number {
  const isNumber = (radix === 10 ? /^[0-9]{1,15}$/ : /^[0-9a-f]{1,12}$/i).test(text);
  if (!isNumber) throw new Error(`it does not speak HTTP: ${JSON.stringify(text.slice(0, 60))} is no length`);
  return parseInt(text, radix);
}

function cutShort(): Error {
  return new Error("the connection ended in the middle of an answer");
}
