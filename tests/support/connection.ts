import { AnswerBody } from "../../client/connections/answer_body.ts";
import { type AnswerHead, AnswerReader, CutShort } from "../../client/connections/answer_reader.ts";
import type { Address } from "../../src/model/address.ts";
import { joinBytes } from "./bytes.ts";

export type { Address };

export interface Reply extends AnswerHead {
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
const BUFFER_BYTES = 64 * 1024;
const READ_TIMEOUT_SECONDS = 60;

/** One raw connection, which speaks HTTP/1.1 exactly as a test says. */
export class Connection implements Disposable {
  readonly #conn: Deno.Conn;
  #onReply: ((reply: Reply) => void) | undefined;
  readonly #answers = new AnswerReader({ read: (into) => this.#read(into) }, BUFFER_BYTES);
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
    return await this.#answers.atEnd();
  }

  async readHead(): Promise<AnswerHead> {
    try {
      return await this.#answers.head();
    } catch (error) {
      throw error instanceof CutShort ? new NoReply("the connection ended before a reply") : error;
    }
  }

  /** Reads the whole reply to a request of this method. */
  async readReply(method: string): Promise<Reply> {
    return await this.readRest(await this.readHead(), method);
  }

  /** Reads the body of a reply whose head was read. */
  async readRest(head: AnswerHead, method?: string): Promise<Reply> {
    const parts: Uint8Array[] = [];
    let cutShort = false;
    try {
      const body = new AnswerBody(this.#answers, head, method);
      for (let part; (part = await body.next()) !== undefined;) parts.push(part);
    } catch (error) {
      if (!(error instanceof CutShort)) throw error;
      cutShort = true;
    }
    const body = joinBytes(parts);
    this.#answers.forget();
    const text = new TextDecoder().decode(body);
    const reply = { ...head, body, text, cutShort, json: <T>(): T => JSON.parse(text) as T };
    const onReply = this.#onReply;
    this.#onReply = undefined;
    onReply?.(reply);
    return reply;
  }

  /** Some bytes, at most `bytesMax`, as they come; `undefined` at the end. */
  async readSome(bytesMax: number): Promise<Uint8Array | undefined> {
    this.#answers.forget();
    return (await this.#answers.some(bytesMax))?.slice();
  }

  /** Reads once more; null at the end, a reset by the peer included. */
  async #read(into: Uint8Array): Promise<number | null> {
    if (this.#closed) return null;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.close();
    }, READ_TIMEOUT_SECONDS * 1000);
    try {
      return await this.#conn.read(into);
    } catch (error) {
      if (late) throw new Error(`nothing came for ${READ_TIMEOUT_SECONDS} s`);
      const gone = error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe;
      if (!gone && !this.#closed) throw error;
      return null;
    } finally {
      clearTimeout(timer);
    }
  }
}
