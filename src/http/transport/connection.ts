import { type Handler, type HttpRequest, Malformed, type Reply } from "../exchange.ts";
import { textReply } from "../replies.ts";
import { BodyReader } from "./body.ts";
import { ByteSource } from "./byte_source.ts";
import { Presence } from "./presence.ts";
import { isStream, writeReply } from "./reply_writer.ts";
import { findRequestHeadEnd, parseRequestHead, type RequestHead } from "./request_head.ts";

/** How long a client may take, in seconds. */
export interface Timeouts {
  /** For a request head, from its first byte, or from the connection's beginning. */
  readonly requestHead: number;
  /** Between two reads of a body. */
  readonly stalledBody: number;
  /** Between two requests. */
  readonly idle: number;
  /** To accept a piece of a reply. */
  readonly line: number;
  /** To notice a refusal while it is still sending. */
  readonly linger: number;
}

export const TIMEOUTS: Timeouts = {
  requestHead: 10,
  stalledBody: 30,
  idle: 120,
  line: 30,
  linger: 2,
};

/** A body that the handler did not want is still read if it is this short, to keep the connection. */
const DRAINED_BYTES_MAX = 64 * 1024;

/**
 * How much more a client that was refused may send before it is cut off: a proxy sends all of a large body before
 * it reads the reply, which a reset connection would lose. The linger time bounds it.
 */
const LINGER_BYTES_MAX = 64 * 1024 * 1024;

const CONTINUE = new TextEncoder().encode("HTTP/1.1 100 Continue\r\n\r\n");

/** What a connection needs of a socket. */
export interface Socket {
  read(into: Uint8Array<ArrayBuffer>): Promise<number | null>;
  write(bytes: Uint8Array<ArrayBuffer>): Promise<number>;
  closeWrite(): Promise<void>;
  close(): void;
}

interface ConnectionOptions {
  /** Called for requests that never reach the handler, with the status that they were refused with. */
  readonly onMalformed: (status: number) => void;
  readonly timeouts: Timeouts;
}

/** One client: reads its requests one after the other and writes the replies. */
export class Connection {
  readonly #socket: Socket;
  readonly #handler: Handler;
  readonly #options: ConnectionOptions;
  readonly #source: ByteSource;
  #closed = false;
  /** A request is being handled, or its reply is being sent. */
  #busy = false;
  #lastRequest = false;
  #deadline = Infinity;

  constructor(socket: Socket, handler: Handler, options: ConnectionOptions) {
    this.#socket = socket;
    this.#handler = handler;
    this.#options = options;
    this.#source = new ByteSource(socket);
  }

  /** Serves the client until either side is done. Never rejects. */
  async serve(): Promise<void> {
    const { requestHead: headSeconds, idle: idleSeconds } = this.#options.timeouts;
    try {
      let requestHead = await this.#readRequestHead(headSeconds);
      while (requestHead !== undefined) {
        this.#busy = true;
        const another = await this.#exchange(requestHead);
        this.#busy = false;
        requestHead = another && !this.#lastRequest ? await this.#readRequestHead(idleSeconds) : undefined;
      }
    } catch (error) {
      if (error instanceof Malformed) await this.#refuse(error);
    }
    this.close();
  }

  /** Closes at once, whatever is in progress. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.close();
  }

  /** Closes as soon as no request is in progress. */
  finish(): void {
    this.#lastRequest = true;
    if (!this.#busy) this.close();
  }

  /** Closes when the client has taken too long. `now` by the monotonic clock, in milliseconds. */
  closeWhenOverdue(now: number): void {
    if (now > this.#deadline) this.close();
  }

  #allow(seconds: number): void {
    this.#deadline = performance.now() + seconds * 1000;
  }

  /**
   * Reads the next request head.
   * @param quietSeconds how long the client may send nothing at all
   * @returns undefined when the client sends no more requests
   * @throws Malformed
   */
  async #readRequestHead(quietSeconds: number): Promise<RequestHead | undefined> {
    const { requestHead: headSeconds } = this.#options.timeouts;
    this.#allow(quietSeconds);
    let searched = 0;
    while (true) {
      const { bytes } = this.#source;
      const end = findRequestHeadEnd(bytes, searched);
      if (end >= 0) {
        const requestHead = parseRequestHead(bytes.subarray(0, end));
        this.#source.skip(end);
        this.#deadline = Infinity;
        return requestHead;
      }
      if (searched === 0 && bytes.length > 0 && quietSeconds !== headSeconds) this.#allow(headSeconds);
      searched = bytes.length;
      if (!await this.#source.more()) return undefined;
    }
  }

  /** Handles one request. @returns whether another may follow */
  async #exchange(requestHead: RequestHead): Promise<boolean> {
    const { stalledBody } = this.#options.timeouts;
    const invite = async (): Promise<void> => {
      if (requestHead.expectsContinue) await this.#write(CONTINUE);
      this.#allow(stalledBody);
    };
    const body = new BodyReader(this.#source, requestHead.framing, invite, () => this.#allow(stalledBody));
    const presence = new Presence(this.#source, () => this.close());
    try {
      if (body.complete) presence.watch();
      const reply = await this.#handler(this.#request(requestHead, body, presence));
      // A client that waits for an invitation and was not invited may send the body or omit it.
      const drainable = body.unreadBytes <= (requestHead.expectsContinue ? 0 : DRAINED_BYTES_MAX);
      const endless = requestHead.minorVersion === 0 && isStream(reply.body);
      const keepAlive = requestHead.keepAlive && drainable && !endless && !this.#lastRequest;
      await this.#reply(requestHead, reply, keepAlive, presence);
      if (keepAlive) return body.complete || await this.#drain(body);
      if (!body.complete) await this.#linger();
      return false;
    } catch {
      // The handler rejects only for a request that must get no reply; any other error is a client that left.
      return false;
    } finally {
      presence.forget();
    }
  }

  #request(requestHead: RequestHead, body: BodyReader, presence: Presence): HttpRequest {
    return {
      method: requestHead.method,
      target: requestHead.target,
      header: (name) => requestHead.fields.get(name),
      body: async (bytesMax) => {
        if (body.complete) return new Uint8Array();
        const bytes = await body.read(bytesMax);
        this.#deadline = Infinity;
        presence.watch();
        return bytes;
      },
      get left() {
        return presence.left;
      },
    };
  }

  async #reply(
    requestHead: RequestHead,
    reply: Reply,
    keepAlive: boolean,
    presence: Presence,
  ): Promise<void> {
    const body = isStream(reply.body) ? presence.whileThere(reply.body) : reply.body;
    await writeReply((bytes) => this.#write(bytes), { ...reply, body }, {
      minorVersion: requestHead.minorVersion,
      keepAlive,
      withoutBody: requestHead.method === "HEAD",
    });
  }

  /** Hands bytes to the operating system; the client has the time of one line to accept them. */
  async #write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#allow(this.#options.timeouts.line);
    for (let written = 0; written < bytes.length;) {
      written += await this.#socket.write(written === 0 ? bytes : bytes.subarray(written));
    }
    this.#deadline = Infinity;
  }

  async #drain(body: BodyReader): Promise<boolean> {
    try {
      await body.read(DRAINED_BYTES_MAX);
      return true;
    } catch {
      return false;
    }
  }

  async #refuse({ status, message }: Malformed): Promise<void> {
    this.#options.onMalformed(status);
    try {
      const options = { minorVersion: 1, keepAlive: false, withoutBody: false } as const;
      await writeReply((bytes) => this.#write(bytes), textReply(status, message), options);
      await this.#linger();
    } catch {
      // The client has already gone.
    }
  }

  /**
   * Keeps reading for a moment before the connection is closed: closing with unread bytes would make the operating
   * system reset it, and the client would lose the reply.
   */
  async #linger(): Promise<void> {
    this.#allow(this.#options.timeouts.linger);
    await this.#socket.closeWrite();
    for (let left = LINGER_BYTES_MAX; left > 0;) {
      left -= this.#source.bytes.length;
      this.#source.skip(this.#source.bytes.length);
      if (!await this.#source.more()) return;
    }
  }
}
