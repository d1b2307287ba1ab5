import { type Handler, isStream, Malformed, type Reply } from "../exchange.ts";
import { plainErrorReply } from "../error_replies.ts";
import type { BodyBudget } from "./body_budget.ts";
import { ByteSource } from "./byte_source.ts";
import type { RequestConnection } from "./body_memory.ts";
import { HeadReader } from "./head_reader.ts";
import { ReceivedRequest } from "./received_request.ts";
import { PIECE_BYTES_MAX, writeReply } from "./reply_writer.ts";
import type { ReadingClock } from "../../time/reading_clock.ts";
import type { RequestHead } from "./request_head.ts";
import { tickEnd, tickIsLong } from "../tick.ts";
import { Deadline, type Timeouts } from "./timeouts.ts";

/** The server still reads a body that the handler did not read, if it is this short, to keep the connection. */
const DRAINED_BYTES_MAX = 64 * 1024;

/**
 * Bytes that a rejected client may still send before it is disconnected. A proxy sends all of a large body before it
 * reads the reply, which a reset connection would lose. The linger time limits this, too.
 */
const LINGER_BYTES_MAX = 64 * 1024 * 1024;

const CONTINUE = new TextEncoder().encode("HTTP/1.1 100 Continue\r\n\r\n");

export interface Socket {
  read(into: Uint8Array<ArrayBuffer>): Promise<number | null>;
  write(bytes: Uint8Array<ArrayBuffer>): Promise<number>;
  closeWrite(): Promise<void>;
  close(): void;
}

interface ConnectionOptions {
  /** Called for requests that never reach the handler, with the status of their rejection. */
  readonly onMalformed: (status: number, reason: string) => void;
  readonly timeouts: Timeouts;
  /** Shared by all connections. */
  readonly bodies: BodyBudget;
  readonly clock: Pick<ReadingClock, "now">;
}

/** The connection of one client: reads its requests one after the other and writes the replies. */
export class Connection {
  readonly #socket: Socket;
  readonly #handler: Handler;
  readonly #options: ConnectionOptions;
  readonly #source: ByteSource;
  readonly #deadline: Deadline;
  readonly #forRequests: RequestConnection;
  #closed = false;
  #lastRequest = false;
  /** The request that is being handled, or whose reply is being sent. */
  #request: ReceivedRequest | undefined;
  /** True when the request has been answered before its body was complete. */
  #answered = false;
  readonly #writeBytes = (bytes: Uint8Array<ArrayBuffer>): Promise<void> => this.#write(bytes);
  #writes = 0;

  constructor(socket: Socket, handler: Handler, options: ConnectionOptions) {
    this.#socket = socket;
    this.#handler = handler;
    this.#options = options;
    this.#source = new ByteSource(socket);
    this.#deadline = new Deadline(options.clock);
    this.#forRequests = {
      source: this.#source,
      budget: options.bodies,
      deadline: this.#deadline,
      stalledSeconds: options.timeouts.stalledBody,
      invite: () => this.#write(CONTINUE),
      close: () => this.close(),
    };
  }

  /** Serves the client until either side ends the connection. Never rejects. */
  async serve(): Promise<void> {
    const { requestHead, idle } = this.#options.timeouts;
    const heads = new HeadReader(this.#source, this.#deadline, requestHead);
    try {
      let head = await heads.next();
      while (head !== undefined) {
        const another = await this.#exchange(head);
        // Pipelined requests in one packet are available at once.
        while (tickIsLong()) await tickEnd();
        head = another && !this.#lastRequest ? await heads.next(idle) : undefined;
      }
    } catch (error) {
      if (error instanceof Malformed) await this.#reject(error);
    }
    this.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#request?.stopWaiting();
    this.#socket.close();
  }

  /** Closes as soon as no request is in progress. */
  finish(): void {
    this.#lastRequest = true;
    if (this.#request === undefined) this.close();
    else if (this.#answered) this.#deadline.shorten(this.#options.timeouts.linger);
  }

  /** Closes the connection when the client has taken too long. `now` is a time of the clock in the options. */
  closeWhenOverdue(now: number): void {
    if (this.#deadline.isOver(now)) this.close();
  }

  /** Handles one request. @returns true when another may follow */
  async #exchange(head: RequestHead): Promise<boolean> {
    const request = this.#request = new ReceivedRequest(this.#forRequests, head);
    try {
      const reply = await this.#handler(request);
      request.releaseBody();
      const keepAlive = !this.#lastRequest && mayFollow(head, request, reply);
      const { body } = reply;
      const sent = isStream(body) ? { ...reply, body: request.watcher.whileThere(body) } : reply;
      const { minorVersion, method } = head;
      await writeReply(this.#writeBytes, sent, { minorVersion, keepAlive, withoutBody: method === "HEAD" });
      this.#answered = true;
      if (!request.isComplete) await (keepAlive ? request.drainBody() : this.#linger());
      return keepAlive;
    } catch {
      // The handler rejects only for a request that must get no reply. Any other error means that the client has
      // disconnected.
      return false;
    } finally {
      request.releaseBody();
      request.watcher.forget();
      this.#answered = false;
      this.#request = undefined;
    }
  }

  /** Hands bytes to the operating system. The client has the time of one line to accept each piece of them. */
  async #write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const number = ++this.#writes;
    for (let written = 0, pieceEnd = 0; written < bytes.length;) {
      if (written >= pieceEnd) {
        this.#deadline.set(this.#options.timeouts.line);
        pieceEnd = written + PIECE_BYTES_MAX;
      }
      written += await this.#socket.write(written === 0 ? bytes : bytes.subarray(written));
    }
    // A reply may have begun before the `100 Continue` was written. The deadline then belongs to the reply.
    if (number === this.#writes) this.#deadline.clear();
  }

  async #reject({ status, message }: Malformed): Promise<void> {
    this.#options.onMalformed(status, message);
    try {
      const options = { minorVersion: 1, keepAlive: false, withoutBody: false } as const;
      await writeReply(this.#writeBytes, plainErrorReply(status, message), options);
      await this.#linger();
    } catch {
      // The client has already disconnected.
    }
  }

  /**
   * Keeps reading for a moment before the connection is closed. If it closed with unread bytes, the operating system
   * would reset it, and the client would lose the reply.
   */
  async #linger(): Promise<void> {
    this.#deadline.set(this.#options.timeouts.linger);
    await this.#socket.closeWrite();
    for (let left = LINGER_BYTES_MAX; left > 0;) {
      left -= this.#source.bytes.length;
      this.#source.skip(this.#source.bytes.length);
      if (!await this.#source.more()) return;
    }
  }
}

/** True when the connection can serve another request after this reply. */
function mayFollow(head: RequestHead, request: ReceivedRequest, { body }: Reply): boolean {
  // A client that waits for `100 Continue` and did not get it may send the body or omit it.
  const isDrainable = request.unreadBytes <= (head.expectsContinue ? 0 : DRAINED_BYTES_MAX);
  const isEndless = head.minorVersion === 0 && isStream(body);
  return head.keepAlive && isDrainable && !isEndless;
}
