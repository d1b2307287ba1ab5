import { ClientDisconnected } from "../../model/errors.ts";
import { BodyQuotaExceeded } from "../exchange.ts";
import { type BodyHooks, BodyReader } from "./body.ts";
import { type BodyBudget, FREE_BYTES, type Reservation } from "./body_budget.ts";
import type { ByteSource } from "./byte_source.ts";
import type { RequestHead } from "./request_head.ts";
import type { Deadline } from "./timeouts.ts";

/** A client that sends a body more slowly than this, over a whole `Timeouts.stalledBody`, is cut off. */
const BODY_BYTES_PER_SECOND_MIN = 1024;

/** What is read of a body that waits for room, so that a client that leaves is noticed, if it has not sent much. */
const READ_WAITING_BYTES = 8 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/** What the bodies of one connection have in common. */
export interface BodyConnection {
  readonly source: ByteSource;
  readonly budget: BodyBudget;
  readonly deadline: Deadline;
  readonly stalledSeconds: number;
  /** Tells the client to send the body. */
  readonly invite: () => Promise<void>;
  readonly close: () => void;
}

/** The body of one request: when its client may send it, how fast it must, and until when anybody cares. */
export class RequestBody implements BodyHooks {
  readonly #connection: BodyConnection;
  readonly #head: RequestHead;
  readonly #reader: BodyReader;
  /** Whether anybody still waits for it: not once its request has been answered. */
  #wanted = true;
  #reservation: Reservation | undefined;
  /** Room that is asked for because what `#reservation` holds was not enough. */
  #larger: Reservation | undefined;
  /** How much had been received when the client's current time began. */
  #receivedBefore = 0;

  constructor(connection: BodyConnection, head: RequestHead) {
    this.#connection = connection;
    this.#head = head;
    this.#reader = new BodyReader(connection.source, head.framing, this);
  }

  /** Whether the next byte of the client belongs to its next request. */
  get complete(): boolean {
    return this.#reader.complete;
  }

  /** Bytes of a body of known length that has not been read at all; Infinity when it is unknown. */
  get unreadBytes(): number {
    return this.#reader.unreadBytes;
  }

  /** The whole body, if it is short and has come with the head: then nobody has to wait for anything. */
  takeIfHere(bytesMax: number): Bytes | undefined {
    return this.#wanted && !this.#head.expectsContinue ? this.#reader.takeIfHere(bytesMax) : undefined;
  }

  /** See `HttpRequest.body`. */
  async read(bytesMax: number): Promise<Bytes> {
    this.#reader.begin(bytesMax);
    return await this.#receive(async () => {
      const { framing, expectsContinue } = this.#head;
      // Who is invited must find room.
      const invitesLarge = expectsContinue && framing.kind === "length" && framing.bytes > FREE_BYTES;
      if (invitesLarge) await this.makeRoom(framing.bytes);
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

  /** Reads the body of a request that was answered without it, so that another one can follow. */
  async drain(): Promise<void> {
    this.#wanted = true;
    await this.discard(Infinity);
  }

  /**
   * The request has been answered, or does not need its body any more: it takes no more memory, and the rest of one
   * being read is not for anybody.
   */
  settle(): void {
    this.#wanted = false;
    this.#larger?.release();
    this.#reservation?.release();
  }

  /** The connection is closed: whoever waits for room will not need it. */
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
      // From now on it is the handler that takes time; a reply that is being sent already has its own limit.
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

  /** Waits until the body may take so much memory. The client cannot help it, so it has all the time. */
  async makeRoom(bytes: number): Promise<void> {
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

  /** Others need the room that the body holds. If it waits for more, that is not its client's fault. */
  #giveUp(): void {
    const larger = this.#larger;
    if (larger === undefined) this.#connection.close();
    // One that has just been granted is about to free what the body held before.
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
