import type { Address } from "../src/model/address.ts";

export type { Address };

/** A reply, valid until the next request of its connection. */
export interface Reply {
  readonly status: number;
  /** The status line and the header fields, in lower case. */
  readonly head: string;
  /** The body in one piece, or its chunks. */
  readonly body: readonly Uint8Array[];
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const LINE_FEED = 0x0a;

/** The bytes of a request. `field` is an additional line of its head. */
export function requestBytes(
  method: string,
  path: string,
  body: string | Uint8Array,
  field?: string,
): Uint8Array {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const head = encoder.encode(
    `${method} ${path} HTTP/1.1\r\nHost: bench\r\nContent-Length: ${bytes.length}\r\n` +
      `${field === undefined ? "" : `${field}\r\n`}\r\n`,
  );
  const request = new Uint8Array(head.length + bytes.length);
  request.set(head);
  request.set(bytes, head.length);
  return request;
}

/** The body of a reply as text. */
export function textOf({ body }: Reply): string {
  return body.map((piece) => decoder.decode(piece)).join("");
}

/**
 * One keep-alive connection with one request at a time. It knows just enough HTTP for the replies of the server,
 * because its CPU time reduces the server's share of the machine.
 */
export class Connection implements Disposable {
  readonly #conn: Deno.Conn;
  /** Holds the reply so far, from its start. The buffer grows to the largest reply. */
  #buffer = new Uint8Array(16 * 1024);
  #filled = 0;

  private constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  static async open(address: Address): Promise<Connection> {
    if (address.transport === "unix") return new Connection(await Deno.connect(address));
    const conn = await Deno.connect(address);
    conn.setNoDelay(true);
    return new Connection(conn);
  }

  [Symbol.dispose](): void {
    this.#conn.close();
  }

  /** Sends a request and reads its whole reply. */
  async request(request: Uint8Array): Promise<Reply> {
    for (let sent = 0; sent < request.length;) sent += await this.#conn.write(request.subarray(sent));
    this.#filled = 0;
    const headEnd = await this.#headEnd();
    const head = decoder.decode(this.#buffer.subarray(0, headEnd)).toLowerCase();
    const status = Number(head.slice("http/1.1 ".length, "http/1.1 200".length));
    if (status === 204) return { status, head, body: [] };
    const body = head.includes("\r\ntransfer-encoding: chunked")
      ? await this.#chunkedBody(headEnd)
      : await this.#plainBody(headEnd, fieldOf(head, "content-length"));
    return { status, head, body };
  }

  async #headEnd(): Promise<number> {
    for (let from = 0;;) {
      const lineFeed = this.#buffer.subarray(0, this.#filled).indexOf(LINE_FEED, from);
      if (lineFeed < 0) await this.#fill();
      // The line feed before this one ends the last field: "\n\r\n".
      else if (this.#buffer[lineFeed - 2] === LINE_FEED) return lineFeed + 1;
      else from = lineFeed + 1;
    }
  }

  async #plainBody(start: number, length: string): Promise<Uint8Array[]> {
    const end = start + Number(length);
    while (this.#filled < end) await this.#fill();
    return [this.#buffer.subarray(start, end)];
  }

  async #chunkedBody(start: number): Promise<Uint8Array[]> {
    const chunks: { from: number; to: number }[] = [];
    for (let at = start;;) {
      const lineFeed = this.#buffer.subarray(0, this.#filled).indexOf(LINE_FEED, at);
      if (lineFeed < 0) {
        await this.#fill();
        continue;
      }
      const size = parseInt(decoder.decode(this.#buffer.subarray(at, lineFeed)), 16);
      const [from, to] = [lineFeed + 1, lineFeed + 1 + size];
      at = to + "\r\n".length;
      while (this.#filled < at) await this.#fill();
      if (size === 0) return chunks.map(({ from, to }) => this.#buffer.subarray(from, to));
      chunks.push({ from, to });
    }
  }

  async #fill(): Promise<void> {
    if (this.#filled === this.#buffer.length) {
      const larger = new Uint8Array(this.#buffer.length * 2);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    const bytes = await this.#conn.read(this.#buffer.subarray(this.#filled));
    if (bytes === null) throw new Error("the server closed a connection in the middle of a reply");
    this.#filled += bytes;
  }
}

/** The number of lines in the body of a reply. */
export function linesOf({ body }: Reply): number {
  let lines = 0;
  for (const piece of body) {
    for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) lines++;
  }
  return lines;
}

/** The value of a header field that must be present; `head` and `name` in lower case. */
export function fieldOf(head: string, name: string): string {
  const start = head.indexOf(`\r\n${name}: `);
  if (start < 0) throw new Error(`a reply without ${name}: ${head}`);
  const valueStart = start + name.length + "\r\n: ".length;
  return head.slice(valueStart, head.indexOf("\r\n", valueStart));
}
