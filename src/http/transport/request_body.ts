import { ClientDisconnected } from "../../model/errors.ts";
import { BodyQuotaExceeded } from "../exchange.ts";
import { type BodyHooks, BodyReader } from "./body.ts";
import { type BodyBudget, FREE_BYTES, type Reservation } from "./body_budget.ts";
import type { ByteSource } from "./byte_source.ts";
import type { RequestHead } from "./request_head.ts";
import type { Deadline } from "./timeouts.ts";

/** The server disconnects a client that sends a body more slowly than this over a whole `Timeouts.stalledBody`. */
const BODY_BYTES_PER_SECOND_MIN = 1024;

/**
 * The server reads so many bytes of a body that waits for memory, to notice when its client disconnects. It notices
 * nothing if the client has sent more.
 */
const READ_WAITING_BYTES = 8 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/** The parts of a connection that the bodies of its requests share. */
export interface BodyConnection {
  readonly source: ByteSource;
  readonly budget: BodyBudget;
  readonly deadline: Deadline;
  readonly stalledSeconds: number;
  /** Sends `100 Continue`, so that the client sends the body. */
  readonly invite: () => Promise<void>;
  readonly close: () => void;
}

/** The body of one request: when its client may send it, how fast it must, and until when the request needs it. */
export class RequestBody implements BodyHooks {
  readonly #connection: BodyConnection;
  readonly #head: RequestHead;
  readonly #reader: BodyReader;
  /** True while the request needs the body: false once it has been answered. */
  #wanted = true;
  #reservation: Reservation | undefined;
  /** A larger reservation, requested because `#reservation` was not enough. */
  #larger: Reservation | undefined;
  /** The number of bytes received when the client's current deadline was set. */
  #receivedBefore = 0;

  constructor(connection: BodyConnection, head: RequestHead) {
    this.#connection = connection;
    this.#head = head;
    this.#reader = new BodyReader(connection.source, head.framing, this);
  }

  /** True when the next byte of the client belongs to its next request. */
  get complete(): boolean {
    return this.#reader.complete;
  }

  /** The length of an unread body, 0 once it is complete; Infinity when unknown, or when only a part is unread. */
  get unreadBytes(): number {
    return this.#reader.unreadBytes;
  }

  /** Returns the whole body if it is short and was received with the head. The request then waits for nothing. */
  takeIfHere(bytesMax: number): Bytes | undefined {
    return this.#wanted && !this.#head.expectsContinue ? this.#reader.takeIfHere(bytesMax) : undefined;
  }

  /** See `HttpRequest.body`. */
  async read(bytesMax: number): Promise<Bytes> {
    this.#reader.begin(bytesMax);
    return await this.#receive(async () => {
      const { framing, expectsContinue } = this.#head;
      // A body must have its memory before its client is asked to send it.
      const invitesLarge = expectsContinue && framing.kind === "length" && framing.bytes > FREE_BYTES;
      if (invitesLarge) await this.reserve(framing.bytes);
      await this.#invite();
      return await this.#reader.read(bytesMax);
    });
  }

  /** See `HttpRequest.discardBody`. */
  async discard(bytesMax: number): Promise<void> {
    this.#reader.begin(bytesMax);
    await this.#receive(async () => {
      await this.#invite();
      await this.#reader.discard(bytesMax);
    });
  }

  /** Reads the body of a request that was answered without it, so that another request can follow. */
  async drain(): Promise<void> {
    this.#wanted = true;
    await this.discard(Infinity);
  }

  /**
   * The request has been answered, or no longer needs its body. The body releases its memory, and a read in progress
   * fails with its next bytes.
   */
  settle(): void {
    this.#wanted = false;
    this.#larger?.release();
    this.#reservation?.release();
  }

  /** The connection is closed, so a body that waits for memory no longer needs it. */
  stopWaiting(): void {
    for (const reservation of [this.#larger, this.#reservation]) {
      if (reservation?.waits) reservation.release();
    }
  }

  async #receive<T>(receive: () => Promise<T>): Promise<T> {
    try {
      const received = await receive();
      this.#assertWanted();
      this.#reservation?.complete();
      return received;
    } finally {
      // From now on the handler takes the time. A reply that is being sent already has its own deadline.
      if (this.#wanted) this.#connection.deadline.clear();
    }
  }

  async #invite(): Promise<void> {
    if (this.#head.expectsContinue) {
      await this.#connection.invite();
      this.#assertWanted();
    }
    this.#allowTime();
  }

  /** Waits until the body may take so much memory. The client is not at fault, so it has no deadline meanwhile. */
  async reserve(bytes: number): Promise<void> {
    const held = this.#reservation;
    if (held !== undefined && held.bytes >= bytes) return;
    this.#assertWanted();
    const { source, budget, deadline } = this.#connection;
    const reservation = budget.reserve(bytes, {
      received: () => source.received,
      giveUp: () => this.#giveUp(),
    });
    if (held === undefined) this.#reservation = reservation;
    else this.#larger = reservation;
    if (reservation.waits) {
      deadline.clear();
      source.watch(() => !reservation.waits, READ_WAITING_BYTES).then((end) => {
        if (end === "gone") this.stopWaiting();
      });
    }
    await reservation.granted;
    if (held !== undefined) {
      this.#reservation = reservation;
      this.#larger = undefined;
      held.release();
    }
    this.#assertWanted();
    this.#allowTime();
  }

  /** Called when others need the memory that the body holds. If it waits for more, its client is not at fault. */
  #giveUp(): void {
    const larger = this.#larger;
    if (larger === undefined) this.#connection.close();
    // If the larger one has just been granted, the body is about to release the smaller one.
    else if (larger.waits) larger.release(new BodyQuotaExceeded());
  }

  onProgress(): void {
    this.#assertWanted();
    const { source: { received }, stalledSeconds } = this.#connection;
    if (received - this.#receivedBefore >= stalledSeconds * BODY_BYTES_PER_SECOND_MIN) this.#allowTime();
  }

  #allowTime(): void {
    this.#receivedBefore = this.#connection.source.received;
    this.#connection.deadline.set(this.#connection.stalledSeconds);
  }

  /** @throws ClientDisconnected when the request was answered before its body was complete */
  #assertWanted(): void {
    if (!this.#wanted) throw new ClientDisconnected();
  }
}
