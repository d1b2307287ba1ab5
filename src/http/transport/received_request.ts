import { ClientDisconnected } from "../../model/errors.ts";
import type { HttpRequest } from "../exchange.ts";
import { type BodyHooks, BodyReader } from "./body.ts";
import { FREE_BYTES } from "./body_budget.ts";
import { BodyMemory, type RequestConnection } from "./body_memory.ts";
import { DisconnectWatcher } from "./disconnect_watcher.ts";
import type { RequestHead } from "./request_head.ts";

/** The server disconnects a client that sends a body more slowly than this over a whole `Timeouts.stalledBody`. */
const BODY_BYTES_PER_SECOND_MIN = 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * A request as its handler sees it, and when its client may send the body, how fast it must, and until when the request
 * needs it. Once the body has been read, the request watches whether the client disconnects.
 */
export class ReceivedRequest implements HttpRequest, BodyHooks {
  readonly method: string;
  readonly target: string;
  readonly watcher: DisconnectWatcher;
  readonly #head: RequestHead;
  readonly #connection: RequestConnection;
  readonly #reader: BodyReader;
  #memory: BodyMemory | undefined;
  /** True while the request needs the body: false once it has been answered. */
  #needsBody = true;
  /** The number of bytes received when the client's current deadline was set. */
  #receivedBefore = 0;

  constructor(connection: RequestConnection, head: RequestHead) {
    this.method = head.method;
    this.target = head.target;
    this.#head = head;
    this.#connection = connection;
    this.#reader = new BodyReader(connection.source, head.framing, this);
    this.watcher = new DisconnectWatcher(connection);
    if (this.isComplete) this.watcher.watch();
  }

  header(name: string): string | undefined {
    return this.#head.fields.get(name);
  }

  get disconnected(): AbortSignal {
    return this.watcher.disconnected;
  }

  /** True when the next byte of the client belongs to its next request. */
  get isComplete(): boolean {
    return this.#reader.complete;
  }

  /** The length of an unread body, 0 once it is complete; Infinity when unknown, or when only a part is unread. */
  get unreadBytes(): number {
    return this.#reader.unreadBytes;
  }

  body(bytesMax: number): Promise<Bytes> {
    // A short body that was received with the head waits for nothing.
    const mayTake = this.#needsBody && !this.#head.expectsContinue;
    const here = mayTake ? this.#reader.takeIfHere(bytesMax) : undefined;
    if (here === undefined) return this.#receiveBody(bytesMax);
    this.watcher.watch();
    return Promise.resolve(here);
  }

  async #receiveBody(bytesMax: number): Promise<Bytes> {
    if (this.isComplete) return new Uint8Array();
    this.#reader.begin(bytesMax);
    const bytes = await this.#receive(async () => {
      const { framing, expectsContinue } = this.#head;
      // A body must have its memory before its client is asked to send it.
      const invitesLarge = expectsContinue && framing.kind === "length" && framing.bytes > FREE_BYTES;
      if (invitesLarge) await this.reserve(framing.bytes);
      await this.#invite();
      return await this.#reader.read(bytesMax);
    });
    this.watcher.watch();
    return bytes;
  }

  async discardBody(bytesMax: number): Promise<void> {
    if (this.isComplete) return;
    await this.#discard(bytesMax);
    this.watcher.watch();
  }

  /** Reads the body after the request was answered without it, so that another request can follow. */
  async drainBody(): Promise<void> {
    this.#needsBody = true;
    await this.#discard(Infinity);
  }

  /**
   * The request has been answered, or no longer needs its body. The body releases its memory, and a read in progress
   * fails with its next bytes.
   */
  releaseBody(): void {
    this.#needsBody = false;
    this.#memory?.release();
  }

  /** The connection is closed, so a body that waits for memory no longer needs it. */
  stopWaiting(): void {
    this.#memory?.stopWaiting();
  }

  async reserve(bytes: number): Promise<void> {
    this.#assertNeeded();
    this.#memory ??= new BodyMemory(this.#connection);
    if (!await this.#memory.reserve(bytes)) return;
    this.#assertNeeded();
    this.#allowTime();
  }

  onProgress(): void {
    this.#assertNeeded();
    const { source: { received }, stalledSeconds } = this.#connection;
    if (received - this.#receivedBefore >= stalledSeconds * BODY_BYTES_PER_SECOND_MIN) this.#allowTime();
  }

  async #discard(bytesMax: number): Promise<void> {
    this.#reader.begin(bytesMax);
    await this.#receive(async () => {
      await this.#invite();
      await this.#reader.discard(bytesMax);
    });
  }

  async #receive<T>(receive: () => Promise<T>): Promise<T> {
    try {
      const received = await receive();
      this.#assertNeeded();
      this.#memory?.complete();
      return received;
    } finally {
      // From now on the handler takes the time. A reply that is being sent already has its own deadline.
      if (this.#needsBody) this.#connection.deadline.clear();
    }
  }

  async #invite(): Promise<void> {
    if (this.#head.expectsContinue) {
      await this.#connection.invite();
      this.#assertNeeded();
    }
    this.#allowTime();
  }

  #allowTime(): void {
    this.#receivedBefore = this.#connection.source.received;
    this.#connection.deadline.set(this.#connection.stalledSeconds);
  }

  /** @throws ClientDisconnected when the request was answered before its body was complete */
  #assertNeeded(): void {
    if (!this.#needsBody) throw new ClientDisconnected();
  }
}
