import type { Address } from "../../src/model/address.ts";
import { joinBytes } from "./bytes.ts";

export type { Address };

/** The head of a reply; header names in lower case, several values of one name joined by a comma. */
export interface ReplyHead {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
}

export interface Reply extends ReplyHead {
  readonly body: Uint8Array;
  readonly text: string;
  /** True when the connection ended before the body was complete. */
  readonly cutShort: boolean;
  /** The body as JSON. */
  json<T = unknown>(): T;
}

/** The peer closed the connection, or it was closed here, before the head of a reply was complete. */
export class NoReply extends Error {
  constructor(detail: string) {
    super(detail);
    this.name = "NoReply";
  }
}

const encoder = new TextEncoder();
const HEAD_END = encoder.encode("\r\n\r\n");
const READ_TIMEOUT_SECONDS = 60;

/** One raw connection, which speaks HTTP/1.1 exactly as a test says. */
export class Connection implements Disposable {
  readonly #conn: Deno.Conn;
  #onReply: ((reply: Reply) => void) | undefined;
  #buffer: Uint8Array = new Uint8Array(0);
  #ended = false;
  #closed = false;

  private constructor(conn: Deno.Conn, onReply: ((reply: Reply) => void) | undefined) {
    this.#conn = conn;
    this.#onReply = onReply;
  }

  /** @param onReply called with the first reply once it is read; its error goes to the reader of the reply */
  static async open(address: Address, onReply?: (reply: Reply) => void): Promise<Connection> {
    if (address.transport === "unix") return new Connection(await Deno.connect(address), onReply);
    const conn = await Deno.connect({ hostname: address.hostname, port: address.port });
    conn.setNoDelay(true);
    return new Connection(conn, onReply);
  }

  async send(data: string | Uint8Array): Promise<void> {
    let rest = typeof data === "string" ? encoder.encode(data) : data;
    while (rest.length > 0) rest = rest.subarray(await this.#conn.write(rest));
  }

  /** Ends the sending direction only (half-close). */
  async closeWrite(): Promise<void> {
    await this.#conn.closeWrite();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#conn.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Waits for a byte or the end. True when the peer has closed its side and everything it sent was read. */
  async atEnd(): Promise<boolean> {
    while (this.#buffer.length === 0) if (!await this.#fill()) return true;
    return false;
  }

  async readHead(): Promise<ReplyHead> {
    const head = await this.#readThrough(HEAD_END);
    if (head === undefined) throw new NoReply("the connection ended before a reply");
    const [statusLine = "", ...lines] = new TextDecoder().decode(head).trimEnd().split("\r\n");
    const status = /^HTTP\/1\.1 ([0-9]{3})/.exec(statusLine)?.[1];
    if (status === undefined) throw new Error(`not a status line: ${statusLine}`);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      const earlier = headers.get(name);
      headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
    }
    return { status: Number(status), headers };
  }

  /** Reads the whole reply to a request of this method. */
  async readReply(method: string): Promise<Reply> {
    const head = await this.readHead();
    const hasBody = method !== "HEAD" && head.status !== 204 && head.status !== 304;
    return hasBody ? await this.readRest(head) : this.#reply(head, new Uint8Array(0), false);
  }

  /** Reads the body of a reply whose head was read. */
  async readRest(head: ReplyHead): Promise<Reply> {
    const parts: Uint8Array[] = [];
    const complete = await this.#readBody(head, (part) => parts.push(part));
    return this.#reply(head, joinBytes(parts), !complete);
  }

  #reply(head: ReplyHead, body: Uint8Array, cutShort: boolean): Reply {
    const text = new TextDecoder().decode(body);
    const reply = { ...head, body, text, cutShort, json: <T>(): T => JSON.parse(text) as T };
    const onReply = this.#onReply;
    this.#onReply = undefined;
    onReply?.(reply);
    return reply;
  }

  /** Some bytes, at most `bytesMax`, as they come; `undefined` at the end. */
  async readSome(bytesMax: number): Promise<Uint8Array | undefined> {
    if (await this.atEnd()) return undefined;
    return this.#take(Math.min(bytesMax, this.#buffer.length));
  }

  async #readBody(head: ReplyHead, keep: (part: Uint8Array) => void): Promise<boolean> {
    if (head.headers.get("transfer-encoding") === "chunked") return await this.#readChunks(keep);
    const length = head.headers.get("content-length");
    if (length !== undefined) return await this.#readExactly(Number(length), keep);
    while (!await this.atEnd()) keep(this.#take(this.#buffer.length));
    return true;
  }

  async #readChunks(keep: (part: Uint8Array) => void): Promise<boolean> {
    for (;;) {
      const line = await this.#readThrough(HEAD_END.subarray(0, 2));
      if (line === undefined) return false;
      const size = parseInt(new TextDecoder().decode(line), 16);
      if (Number.isNaN(size)) throw new Error("not a chunk size");
      if (!await this.#readExactly(size, keep)) return false;
      if (await this.#readThrough(HEAD_END.subarray(0, 2)) === undefined) return false;
      if (size === 0) return true;
    }
  }

  async #readExactly(size: number, keep: (part: Uint8Array) => void): Promise<boolean> {
    for (let left = size; left > 0;) {
      if (await this.atEnd()) return false;
      const part = this.#take(Math.min(left, this.#buffer.length));
      left -= part.length;
      keep(part);
    }
    return true;
  }

  async #readThrough(mark: Uint8Array): Promise<Uint8Array | undefined> {
    for (let from = 0;;) {
      const at = indexOf(this.#buffer, mark, from);
      if (at >= 0) return this.#take(at + mark.length);
      from = Math.max(0, this.#buffer.length - mark.length + 1);
      if (!await this.#fill()) return undefined;
    }
  }

  #take(size: number): Uint8Array {
    const taken = this.#buffer.subarray(0, size);
    this.#buffer = this.#buffer.subarray(size);
    return taken;
  }

  /** Reads once more into the buffer; false at the end, a reset by the peer included. */
  async #fill(): Promise<boolean> {
    if (this.#ended || this.#closed) return false;
    const chunk = new Uint8Array(65536);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.close();
    }, READ_TIMEOUT_SECONDS * 1000);
    try {
      const size = await this.#conn.read(chunk);
      if (size === null) this.#ended = true;
      else this.#buffer = joinBytes([this.#buffer, chunk.subarray(0, size)]);
    } catch (error) {
      if (late) throw new Error(`nothing came for ${READ_TIMEOUT_SECONDS} s`);
      const gone = error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe;
      if (!gone && !this.#closed) throw error;
      this.#ended = true;
    } finally {
      clearTimeout(timer);
    }
    return !this.#ended;
  }
}

function indexOf(bytes: Uint8Array, mark: Uint8Array, from: number): number {
  for (let at = from; at + mark.length <= bytes.length; at++) {
    if (mark.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  return -1;
}
