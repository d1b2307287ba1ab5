import type { Address } from "./connection.ts";

/** One request as it reached the upstream. */
export interface SeenRequest {
  /** `METHOD target HTTP/1.1` and the fields, as they were sent. */
  readonly head: string;
  readonly body: string;
}

/** Answers one request on its connection; when it returns false the connection is closed. */
export type Answer = (request: SeenRequest, conn: Deno.Conn) => Promise<boolean>;

/**
 * A server whose answers a test scripts byte by byte. It stores every request, and reads bodies of a known length and
 * chunked ones.
 */
export class ScriptedUpstream implements Disposable {
  readonly requests: SeenRequest[] = [];
  readonly address: Address;
  /** How many connections were made to it. */
  connections = 0;
  readonly #listener: Deno.TcpListener;
  readonly #open = new Set<Deno.Conn>();

  constructor(answer: Answer) {
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.address = { transport: "tcp", hostname: "127.0.0.1", port: this.#listener.addr.port };
    void this.#accept(answer);
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    for (const conn of this.#open) this.#close(conn);
  }

  async #accept(answer: Answer): Promise<void> {
    try {
      for await (const conn of this.#listener) {
        this.connections++;
        this.#open.add(conn);
        // A proxy that hangs up ends the connection, not the test.
        this.#serve(conn, answer).catch(() => {}).finally(() => this.#close(conn));
      }
    } catch {
      // Disposed of.
    }
  }

  async #serve(conn: Deno.Conn, answer: Answer): Promise<void> {
    const reader = new RequestReader(conn);
    for (let request; (request = await reader.next()) !== undefined;) {
      this.requests.push(request);
      if (!await answer(request, conn) || /^connection: *close/im.test(request.head)) return;
    }
  }

  #close(conn: Deno.Conn): void {
    if (this.#open.delete(conn)) conn.close();
  }
}

/** Reads requests in Latin-1, so that one unit is one byte. */
class RequestReader {
  readonly #conn: Deno.Conn;
  #received = "";

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  async next(): Promise<SeenRequest | undefined> {
    const head = await this.#through("\r\n\r\n");
    if (head === undefined) return undefined;
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    const chunked = /^transfer-encoding: *chunked/im.test(head);
    const body = chunked ? await this.#chunks() : await this.#exactly(Number(length ?? 0));
    return body === undefined ? undefined : { head: head.trimEnd(), body };
  }

  async #chunks(): Promise<string | undefined> {
    let body = "";
    for (;;) {
      const line = await this.#through("\r\n");
      if (line === undefined) return undefined;
      const part = await this.#exactly(parseInt(line, 16) + 2);
      if (part === undefined) return undefined;
      if (part === "\r\n") return body;
      body += part.slice(0, -2);
    }
  }

  async #through(mark: string): Promise<string | undefined> {
    while (!this.#received.includes(mark)) if (!await this.#more()) return undefined;
    return this.#take(this.#received.indexOf(mark) + mark.length);
  }

  async #exactly(bytes: number): Promise<string | undefined> {
    while (this.#received.length < bytes) if (!await this.#more()) return undefined;
    return this.#take(bytes);
  }

  #take(length: number): string {
    const taken = this.#received.slice(0, length);
    this.#received = this.#received.slice(length);
    return taken;
  }

  async #more(): Promise<boolean> {
    const part = new Uint8Array(65536);
    const size = await this.#conn.read(part);
    if (size === null) return false;
    for (const byte of part.subarray(0, size)) this.#received += String.fromCharCode(byte);
    return true;
  }
}

/** Sends text as it is. */
export async function sendText(conn: Deno.Conn, text: string): Promise<void> {
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) rest = rest.subarray(await conn.write(rest));
}

/** One chunk of a chunked body. */
export function chunkOf(text: string): string {
  return `${new TextEncoder().encode(text).length.toString(16)}\r\n${text}\r\n`;
}
