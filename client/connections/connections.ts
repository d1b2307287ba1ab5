import { Buffer } from "node:buffer";
import type { Transport, TransportReply, TransportRequest } from "../transport/transport.ts";
import { AnswerBody } from "./answer_body.ts";
import { Connection } from "./connection.ts";

/** Less than servers and proxies wait before they close an idle connection: 5 s or more, by default. */
const IDLE_MILLISECONDS_MAX = 4000;

/** The place of the server: one of both. */
export interface ConnectionsOptions {
  /** Such as `http://127.0.0.1:8085`, with the path that a proxy adds, if any. */
  readonly url?: string;
  /** The unix socket of the server. */
  readonly socketPath?: string;
}

/**
 * Connections to a server that are kept, on Deno, Node and Bun. A decision takes two fifths less CPU time than with
 * `fetch`, and over a unix socket, a request needs no new connection. For `https://`, use the option `url` of the store
 * instead.
 *
 * A write is sent once. When its connection closes without an answer, its outcome is unknown, as with `fetch`. Idle
 * connections do not keep the process alive; `close` ends them sooner.
 * @example
 * ```ts
 * import { EventStore } from "eventstore-client";
 * import { Connections } from "eventstore-client/connections";
 *
 * const connections = new Connections({ url: "http://127.0.0.1:8085" });
 * const store = new EventStore({ transport: connections });
 * console.log((await store.head()).sequence);
 * connections.close();
 * ```
 */
export class Connections implements Transport {
  /** The URL or the path of the socket. */
  readonly address: string;
  readonly #open: () => Connection;
  /** The path that a proxy adds. */
  readonly #prefix: string = "";
  readonly #host: string = "localhost";
  /** The one that was used last comes last. */
  readonly #idle: Connection[] = [];
  #isClosed = false;

  /**
   * Connects when the first request is sent.
   * @throws {TypeError} when `url` is needed and is no such URL
   */
  constructor({ url = "", socketPath }: ConnectionsOptions) {
    this.address = socketPath || url.replace(/\/+$/, "");
    if (socketPath) {
      this.#open = () => new Connection({ path: socketPath });
      return;
    }
    const { protocol, username, host, hostname, port, pathname, search } = new URL(
      URL.canParse(url) ? url : "none:",
    );
    if (protocol !== "http:" || username !== "" || search !== "") {
      throw new TypeError(
        `url must be like http://127.0.0.1:8085, not "${url}"; for https, give it to the store`,
      );
    }
    this.#host = host;
    this.#prefix = pathname.replace(/\/+$/, "");
    const place = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80) };
    this.#open = () => new Connection(place);
  }

  /** Sends a request over a connection that is idle, or a new one. */
  async send({ method, path, headers, body = "", signal }: TransportRequest): Promise<TransportReply> {
    const fields = Object.entries({
      host: this.#host,
      "content-length": String(Buffer.byteLength(body)),
      ...headers,
    });
    const lines = fields.map(([name, value]) => `${name}: ${checked(value, name)}\r\n`);
    const request = `${method} ${this.#prefix}${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
    const kept = this.#idleConnection();
    try {
      if (kept !== undefined) return await this.#sendOver(kept, request, signal);
    } catch (error) {
      // The server may have closed it just now. To send a read again does no harm.
      const isRead = method === "GET" || method === "QUERY";
      if (kept!.isAnswered || !isRead || signal.aborted) throw error;
    }
    return await this.#sendOver(this.#open(), request, signal);
  }

  async #sendOver(connection: Connection, request: string, signal: AbortSignal): Promise<TransportReply> {
    try {
      connection.begin(request, signal);
      const head = await connection.answers.finalHead();
      const body = new AnswerBody(connection.answers, head);
      const pieces = () => this.#piecesOf(connection, body);
      return {
        status: head.status,
        header: (name) => head.headers.get(name),
        text: () => textOf(pieces()),
        pieces,
      };
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Closes the idle connections. One in use is closed after its answer, and so is that of a later request. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  #idleConnection(): Connection | undefined {
    for (let connection; (connection = this.#idle.pop());) {
      if (connection.isUsable(IDLE_MILLISECONDS_MAX)) return connection;
      connection.close();
    }
    return undefined;
  }

  async *#piecesOf(connection: Connection, body: AnswerBody): AsyncGenerator<Uint8Array> {
    try {
      yield* body.pieces();
    } finally {
      if (body.keepsConnection && !this.#isClosed) {
        connection.release();
        this.#idle.push(connection);
      } else connection.close();
    }
  }
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of pieces) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

/** @throws {TypeError} for a value with a line end or another character that a head cannot have */
function checked(value: string, name: string): string {
  if (/[^\t\x20-\x7e]/.test(value)) {
    throw new TypeError(`the header ${name} has a character that is not allowed`);
  }
  return value;
}
