import { AnswerBody } from "../client/connections/answer_body.ts";
import { type AnswerHead, AnswerReader } from "../client/connections/answer_reader.ts";
import type { Address } from "../src/model/address.ts";

export type { Address };

/** A reply, valid until the next request of its connection. */
export interface Reply extends AnswerHead {
  readonly body: readonly Uint8Array[];
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const BUFFER_BYTES = 16 * 1024;
const LINE_FEED = 0x0a;

/** A line of the head of every request, such as that of a token. Each thread has its own. */
let fieldOfAll: string | undefined;

export function sendWithEveryRequest(field: string | undefined): void {
  fieldOfAll = field;
}

/** The bytes of a request. `field` is an additional line of its head. */
export function requestBytes(
  method: string,
  path: string,
  body: string | Uint8Array,
  field?: string,
): Uint8Array {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const head = requestHead(method, path, [
    `Content-Length: ${bytes.length}`,
    ...field === undefined ? [] : [field],
  ]);
  const request = new Uint8Array(head.length + bytes.length);
  request.set(head);
  request.set(bytes, head.length);
  return request;
}

/** The head of a request with these fields, besides those that every request has. */
export function requestHead(method: string, path: string, fields: readonly string[]): Uint8Array {
  const all = ["Host: bench", ...fields, ...fieldOfAll === undefined ? [] : [fieldOfAll]];
  return encoder.encode(`${method} ${path} HTTP/1.1\r\n${all.map((line) => `${line}\r\n`).join("")}\r\n`);
}

/** The body of a reply as text. */
export function textOf({ body }: Reply): string {
  return body.map((piece, i) => decoder.decode(piece, { stream: i < body.length - 1 })).join("");
}

/** One keep-alive connection with one request at a time. */
export class Connection implements Disposable {
  readonly #conn: Deno.Conn;
  readonly #answers: AnswerReader;

  private constructor(conn: Deno.Conn) {
    this.#conn = conn;
    this.#answers = new AnswerReader(conn, BUFFER_BYTES);
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
    this.#answers.forget();
    const head = await this.#answers.head();
    const body = new AnswerBody(this.#answers, head);
    const pieces: Uint8Array[] = [];
    for (let piece; (piece = await body.next()) !== undefined;) pieces.push(piece);
    return { ...head, body: pieces };
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
