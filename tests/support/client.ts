import type { ReadRequest } from "../../src/model/read_request.ts";
import { joinBytes } from "./bytes.ts";
import { type Address, Connection, NoReply, type Reply } from "./connection.ts";

/** A request that should succeed was rejected. */
export class UnexpectedReply extends Error {
  readonly reply: Reply;

  constructor(what: string, reply: Reply) {
    super(`${what}: ${reply.status} ${reply.text}`);
    this.reply = reply;
    this.name = "UnexpectedReply";
  }
}

// A test that fails early leaves requests behind. Their failure must not fail the other tests of the file.
globalThis.addEventListener("unhandledrejection", (event) => {
  if (event.reason instanceof NoReply || event.reason instanceof UnexpectedReply) event.preventDefault();
});

export interface RequestOptions {
  /** Pairs, to send a name twice. The client adds `Host` and the length of the body. */
  readonly headers?: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  /** Sent as it is. */
  readonly body?: string | Uint8Array;
  /** Sent as JSON, instead of `body`. */
  readonly json?: unknown;
  /** Send the body in chunks of this many bytes instead of naming its length. */
  readonly chunkBytes?: number;
}

export interface EventLine {
  readonly sequence: number;
  readonly time: string;
  readonly type: string;
  readonly identifiers: Readonly<Record<string, string | readonly string[]>>;
  readonly metadata: Readonly<Record<string, string | readonly string[]>>;
  readonly payload: string;
}

export interface EventsPage {
  readonly reply: Reply;
  readonly store: string | undefined;
  readonly events: readonly EventLine[];
  /** Undefined when the page came without a trailer. */
  readonly hasMore: boolean | undefined;
}

export interface WriteResult {
  readonly events: readonly { readonly sequence: number; readonly time: string }[];
  readonly projections: {
    readonly create: readonly { readonly version: string }[];
    readonly replace: readonly { readonly version: string }[];
  };
}

/** The envelope of an error. */
export interface ErrorBody {
  readonly error: string;
  readonly message?: string;
  /** The details of a conflict. */
  readonly conflict?: unknown;
}

/** The path of a projection. A segment of dots only would name another path. */
export function projectionPath(type: string, id: string): string {
  const segment = (text: string): string =>
    encodeURIComponent(text).replace(/^\.+$/, (dots) => "%2e".repeat(dots.length));
  return `/projections/${segment(type)}/${segment(id)}`;
}

/** The parts of a request on which its answer depends. */
export interface Asked {
  readonly method: string;
  readonly target: string;
  readonly body?: Uint8Array | undefined;
}

/** Throws when an answer is not what it must be. */
export type ReplyCheck = (asked: Asked, reply: Reply) => void;

/** Sends requests to one server, each over its own connection. */
export class Client {
  readonly address: Address;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #check: ReplyCheck | undefined;

  /** @param check gets the reply to every request */
  constructor(address: Address, headers?: Readonly<Record<string, string>>, check?: ReplyCheck) {
    this.address = address;
    this.#headers = headers ?? {};
    this.#check = check;
  }

  async request(method: string, target: string, options: RequestOptions = {}): Promise<Reply> {
    using connection = await this.#open(method, target, options);
    const closing: RequestOptions = {
      ...options,
      headers: [["connection", "close"], ...headerPairs(options)],
    };
    return await exchange(connection, method, this.bytesOf(method, target, closing));
  }

  /** Sends a request in one packet and does not wait for its reply; the caller closes the connection. */
  async begin(method: string, target: string, options: RequestOptions = {}): Promise<Connection> {
    const connection = await this.#open(method, target, options);
    await connection.send(this.bytesOf(method, target, options));
    return connection;
  }

  async #open(method: string, target: string, options: RequestOptions): Promise<Connection> {
    const check = this.#check;
    if (check === undefined) return await Connection.open(this.address);
    return await Connection.open(
      this.address,
      (reply) => check({ method, target, body: bodyOf(options) }, reply),
    );
  }

  /** The bytes of a request, head and body. */
  bytesOf(method: string, target: string, options: RequestOptions = {}): Uint8Array {
    const body = bodyOf(options);
    const lines = [`${method} ${target} HTTP/1.1`, "host: localhost"];
    for (const [name, value] of [...Object.entries(this.#headers), ...headerPairs(options)]) {
      lines.push(`${name}: ${value}`);
    }
    if (body === undefined) return encode(lines.join("\r\n") + "\r\n\r\n");
    lines.push(options.chunkBytes ? "transfer-encoding: chunked" : `content-length: ${body.length}`);
    const head = encode(lines.join("\r\n") + "\r\n\r\n");
    return joinBytes([head, ...options.chunkBytes ? chunksOf(body, options.chunkBytes) : [body]]);
  }

  /** Sends a body for `POST /write`. */
  async write(body: unknown): Promise<Reply> {
    return await this.request("POST", "/write", { json: body });
  }

  /** Writes events and fails when they are rejected. */
  async append(...events: readonly unknown[]): Promise<WriteResult> {
    const reply = await this.write({ events });
    if (reply.status !== 200) throw new UnexpectedReply("POST /write", reply);
    return reply.json<WriteResult>();
  }

  /** One page of `QUERY /events`. */
  async queryEvents(
    query: unknown = "*",
    range: Partial<Omit<ReadRequest, "query" | "time">> = {},
  ): Promise<EventsPage> {
    return parsePage(await this.request("QUERY", "/events", { json: { query, ...range } }));
  }

  /** Every event that matches, page after page. @param after only those after this one */
  async allEvents(query: unknown = "*", after = 0): Promise<EventLine[]> {
    const events: EventLine[] = [];
    for (let hasMore = true; hasMore;) {
      const page = await this.queryEvents(query, { afterSequence: events.at(-1)?.sequence ?? after });
      if (page.hasMore === undefined) throw new UnexpectedReply("QUERY /events, no trailer", page.reply);
      events.push(...page.events);
      hasMore = page.hasMore;
    }
    return events;
  }

  /** The store ID, by a read that asks for one event. */
  async storeId(): Promise<string> {
    const { store } = await this.queryEvents("*", { limit: 1 });
    if (store === undefined) throw new Error("a page without X-Service-Store");
    return store;
  }

  async reset(): Promise<void> {
    const reply = await this.request("POST", "/reset");
    if (reply.status !== 204) throw new UnexpectedReply("POST /reset", reply);
  }
}

export function parsePage(reply: Reply): EventsPage {
  const store = reply.headers.get("x-service-store");
  const events: EventLine[] = [];
  let hasMore: boolean | undefined;
  if (reply.status === 200) {
    const lines = reply.text.split("\n");
    if (lines.at(-1) === "" || reply.cutShort) lines.pop();
    for (const line of lines) {
      const value = JSON.parse(line) as EventLine | { hasMore: boolean };
      if (hasMore !== undefined) throw new Error(`a line after the trailer: ${line}`);
      if ("hasMore" in value) hasMore = value.hasMore;
      else events.push(value);
    }
  }
  return { reply, store, events, hasMore };
}

/** Sends and reads at the same time: a server may answer before it has read everything. */
async function exchange(connection: Connection, method: string, bytes: Uint8Array): Promise<Reply> {
  const sending = connection.send(bytes).catch(() => {});
  try {
    return await connection.readReply(method);
  } catch (error) {
    connection.close();
    await sending;
    throw error;
  }
}

function headerPairs(options: RequestOptions): (readonly [string, string])[] {
  const headers = options.headers ?? [];
  return Array.isArray(headers) ? [...headers] : Object.entries(headers as Record<string, string>);
}

function bodyOf(options: RequestOptions): Uint8Array | undefined {
  if (options.json !== undefined) return encode(JSON.stringify(options.json));
  return typeof options.body === "string" ? encode(options.body) : options.body;
}

function chunksOf(body: Uint8Array, chunkBytes: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += chunkBytes) {
    const part = body.subarray(at, at + chunkBytes);
    chunks.push(encode(`${part.length.toString(16)}\r\n`), part, encode("\r\n"));
  }
  return [...chunks, encode("0\r\n\r\n")];
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
