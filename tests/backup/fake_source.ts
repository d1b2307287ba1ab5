import { eventBody, eventLine } from "../../src/wire/event.ts";

export const STORE = "11111111-1111-4111-8111-111111111111";
export const OTHER_STORE = "22222222-2222-4222-8222-222222222222";

/** A request of the backup program. */
export interface FakeRequest {
  readonly head: string;
  readonly query: unknown;
  readonly afterSequence: number;
  readonly limit: number;
}

/** The bytes to answer with, and what to do then: keep the connection, close it, or leave it hanging. */
export interface FakeAnswer {
  readonly bytes: string | Uint8Array;
  readonly then?: "close" | "hang";
}

type AnswerWith = (request: FakeRequest, count: number) => FakeAnswer | string | Promise<FakeAnswer | string>;

const encoder = new TextEncoder();

/**
 * A server that answers as a test says, rightly or wrongly. It counts its requests and connections. It does not count
 * `GET /whoami`, which it does not know, unless `whoami` answers it.
 */
export class FakeSource implements AsyncDisposable {
  readonly requests: FakeRequest[] = [];
  connections = 0;
  readonly #listener: Deno.Listener;
  readonly #answer: AnswerWith;
  readonly #open = new Set<Deno.Conn>();
  readonly #serving: Promise<void>;
  whoami: () => string = () => rejection(404, "Not Found");
  #isClosed = false;

  constructor(answer: AnswerWith, listener: Deno.Listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })) {
    this.#answer = answer;
    this.#listener = listener;
    this.#serving = this.#accept();
  }

  get address(): { transport: "tcp"; hostname: string; port: number } {
    return { transport: "tcp", hostname: "127.0.0.1", port: (this.#listener.addr as Deno.NetAddr).port };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener.close();
    for (const conn of this.#open) this.#close(conn);
    await this.#serving;
  }

  async #accept(): Promise<void> {
    const all: Promise<void>[] = [];
    for (;;) {
      const conn = await this.#listener.accept().catch(() => undefined);
      if (conn === undefined) break;
      this.connections++;
      this.#open.add(conn);
      all.push(this.#serve(conn).catch(() => {}).then(() => this.#close(conn)));
    }
    await Promise.all(all);
  }

  #close(conn: Deno.Conn): void {
    if (this.#open.delete(conn)) conn.close();
  }

  #counted(request: FakeRequest): ReturnType<AnswerWith> {
    this.requests.push(request);
    return this.#answer(request, this.requests.length);
  }

  async #serve(conn: Deno.Conn): Promise<void> {
    for (let request = await readRequest(conn); request !== undefined; request = await readRequest(conn)) {
      const answer = /^GET \S*\/whoami /.test(request.head) ? this.whoami() : await this.#counted(request);
      const { bytes, then } = typeof answer === "string" ? { bytes: answer } : answer as FakeAnswer;
      let rest = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
      while (rest.length > 0) rest = rest.subarray(await conn.write(rest));
      if (then === "close") return;
      if (then === "hang") await conn.read(new Uint8Array(1));
    }
  }
}

/** Every request of the program fits into one packet. */
async function readRequest(conn: Deno.Conn): Promise<FakeRequest | undefined> {
  const buffer = new Uint8Array(64 * 1024);
  const length = await conn.read(buffer);
  if (length === null) return undefined;
  const [head = "", body = ""] = new TextDecoder().decode(buffer.subarray(0, length)).split("\r\n\r\n");
  return { head, ...JSON.parse(body === "" ? "{}" : body) as Omit<FakeRequest, "head"> };
}

/** Event lines with these sequences. */
export function lines(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const identifiers = [{ name: "n", value: String(from + i) }];
    const body = eventBody({ type: "t", identifiers, metadata: [], payload: `payload ${from + i}` });
    return eventLine({ sequence: from + i, timeMicros: 1_700_000_000_000_000 + from + i, body });
  });
}

/** A whole answer in one chunk. */
export function page(storeId: string, text: string): string {
  const size = encoder.encode(text).length.toString(16);
  return `HTTP/1.1 200 OK\r\nX-Service-Store: ${storeId}\r\nTransfer-Encoding: chunked\r\n\r\n` +
    `${size}\r\n${text}\r\n0\r\n\r\n`;
}

/** The right answer of a store with so many events. */
export function rightPage(request: FakeRequest, head: number, storeId = STORE, linesOf = lines): string {
  const to = Math.min(head, request.afterSequence + request.limit);
  const text = linesOf(request.afterSequence + 1, to).join("") + `{"hasMore":${to < head}}\n`;
  return page(storeId, text);
}

/** An answer without a page. */
export function rejection(status: number, json: unknown): string {
  const body = JSON.stringify(json);
  return `HTTP/1.1 ${status} Whatever\r\nContent-Type: application/json\r\nContent-Length: ${
    encoder.encode(body).length
  }\r\n\r\n${body}`;
}
