import { CutShort, type SourceAddress, TimedConn, type TimeLimits } from "./timed_conn.ts";

const LINE_BYTES_MAX = 64 * 1024;
/** The maximum of fields in a head or trailer, and of informational responses before the final one. */
const FIELDS_MAX = 200;

/** The head of a response, and its body as it is received. */
export interface Answer {
  readonly status: number;
  /** Values by name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /**
   * The body in pieces. Each stays unchanged until the next one is requested. Throws when the connection ends before
   * the body does.
   */
  readonly body: AsyncGenerator<Uint8Array, void>;
}

/** The connection ended before the response began. */
class NoAnswer extends Error {}

/** The ways in which a connection ends. */
const CUTS = [
  CutShort,
  Deno.errors.ConnectionReset,
  Deno.errors.BrokenPipe,
  Deno.errors.ConnectionAborted,
  Deno.errors.UnexpectedEof,
];

/**
 * Sends requests to one server, one after the other over one connection. docs/decisions/backup_client.md says why it
 * is not `fetch`.
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

  /** Sends a request, which must be safe to send twice. The caller must read the response's body to its end. */
  async request(bytes: Uint8Array): Promise<Answer> {
    const kept = this.#conn;
    this.#conn = undefined;
    try {
      if (kept !== undefined) return await this.#exchange(kept, bytes);
    } catch (error) {
      // A server may close an idle connection at any time, even just now.
      if (!(error instanceof NoAnswer)) throw error;
    }
    return await this.#exchange(await TimedConn.open(this.#address, this.#limits, this.#stopped), bytes);
  }

  [Symbol.dispose](): void {
    this.#conn?.[Symbol.dispose]();
    this.#conn = undefined;
  }

  async #exchange(conn: TimedConn, bytes: Uint8Array): Promise<Answer> {
    try {
      let statusLine = await firstLine(conn, bytes);
      for (let count = 0; count <= FIELDS_MAX; count++) {
        const status = statusOf(statusLine);
        const headers = await readFields(conn, "head");
        if (status >= 200) return { status, headers, body: this.#body(conn, status, headers) };
        statusLine = await conn.line(LINE_BYTES_MAX);
      }
      throw new Error(`it sent more than ${FIELDS_MAX} informational responses`);
    } catch (error) {
      conn[Symbol.dispose]();
      throw error;
    }
  }

  async *#body(conn: TimedConn, status: number, headers: Answer["headers"]): Answer["body"] {
    let isKept = false;
    try {
      const length = headers.get("content-length");
      if (/\bchunked$/i.test(headers.get("transfer-encoding") ?? "")) yield* chunks(conn);
      else if (length !== undefined) yield* pieces(conn, lengthOf(length, 10));
      else if (status !== 204 && status !== 304) return yield* pieces(conn);
      isKept = !/\bclose\b/i.test(headers.get("connection") ?? "");
    } finally {
      if (isKept) this.#conn = conn;
      else conn[Symbol.dispose]();
    }
  }
}

/** Sends a request. @returns the first line of the response */
async function firstLine(conn: TimedConn, request: Uint8Array): Promise<string> {
  try {
    await conn.write(request);
    return await conn.line(LINE_BYTES_MAX);
  } catch (error) {
    // The TLS library reports this when the other side answers in plain text.
    const isPlain = /InvalidContentType/.test((error as Error).message);
    if (isPlain) throw new Error("it does not speak TLS: use http:// instead of https://");
    const isCut = CUTS.some((cut) => error instanceof cut);
    throw isCut ? new NoAnswer("it closed the connection without a response") : error;
  }
}

function statusOf(line: string): number {
  const status = /^HTTP\/1\.[01] ([1-5][0-9]{2})(?: |$)/.exec(line)?.[1];
  if (status === undefined) throw new Error(`it does not speak HTTP: ${JSON.stringify(line.slice(0, 60))}`);
  return Number(status);
}

/** Reads fields up to the empty line after them. @returns values by name in lower case */
async function readFields(conn: TimedConn, part: "head" | "trailer"): Promise<Map<string, string>> {
  const fields = new Map<string, string>();
  for (let count = 0; count <= FIELDS_MAX; count++) {
    const line = await conn.line(LINE_BYTES_MAX);
    if (line === "") return fields;
    const colon = line.indexOf(":");
    fields.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  throw new Error(`it sent a ${part} of more than ${FIELDS_MAX} lines`);
}

async function* chunks(conn: TimedConn): Answer["body"] {
  for (;;) {
    const sizeLine = await conn.line(LINE_BYTES_MAX);
    const size = lengthOf(sizeLine.split(";")[0]!.trim(), 16);
    if (size === 0) break;
    yield* pieces(conn, size);
    if (await conn.line(LINE_BYTES_MAX) !== "") {
      throw new Error("it sent a chunk that is longer than declared");
    }
  }
  await readFields(conn, "trailer");
}

/** Returns as many bytes as declared. Without a declaration, it returns all bytes up to the end of the connection. */
async function* pieces(conn: TimedConn, length = Infinity): Answer["body"] {
  for (let left = length; left > 0;) {
    const piece = await conn.some(left);
    if (piece === undefined && length === Infinity) return;
    if (piece === undefined) throw new CutShort();
    left -= piece.length;
    yield piece;
  }
}

function lengthOf(text: string, radix: 10 | 16): number {
  const isNumber = (radix === 10 ? /^[0-9]{1,15}$/ : /^[0-9a-f]{1,12}$/i).test(text);
  if (!isNumber) {
    throw new Error(`it does not speak HTTP: ${JSON.stringify(text.slice(0, 60))} is not a length`);
  }
  return parseInt(text, radix);
}
