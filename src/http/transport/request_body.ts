import { ClientLeft } from "../../model/errors.ts";
import { BodyReader } from "./body.ts";
import { type BodyBudget, FREE_BYTES, type Reservation } from "./body_budget.ts";
import type { ByteSource } from "./byte_source.ts";
import type { RequestHead } from "./request_head.ts";
import type { Deadline } from "./timeouts.ts";

/** A client that sends a body more slowly than this, over a whole `Timeouts.stalledBody`, is cut off. */
const BODY_BYTES_PER_SECOND_MIN = 1024;

/** What is read of a body that waits for room, so that a client that leaves is noticed, if it has not sent much. */
const READ_WAITING_BYTES = 8 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

type State = "wanted" | "reading" | "unwanted";

interface RequestBodyOptions {
  readonly source: ByteSource;
  readonly requestHead: RequestHead;
  readonly budget: BodyBudget;
  readonly deadline: Deadline;
  readonly stalledSeconds: number;
  /** Tells the client to send the body. */
  readonly invite: () => Promise<void>;
  readonly closeConnection: () => void;
}

/** The body of one request: when its client may send it, how fast it must, and until when anybody cares. */
export class RequestBody {
  readonly #options: RequestBodyOptions;
  readonly #reader: BodyReader;
  #state: State = "wanted";
  #reservation: Reservation | undefined;
  /** How much had been received when the client's current time began. */
  #receivedBefore = 0;

  constructor(options: RequestBodyOptions) {
    this.#options = options;
    this.#reader = new BodyReader(options.source, options.requestHead.framing, {
      makeRoom: (bytes) => this.#makeRoom(bytes),
      onProgress: () => this.#onProgress(),
    });
  }

  /** Whether the next byte of the client belongs to its next request. */
  get complete(): boolean {
    return this.#reader.complete;
  }

  /** Bytes of a body of known length that has not been read at all; Infinity when it is unknown. */
  get unreadBytes(): number {
    return this.#reader.unreadBytes;
  }

  /** See `HttpRequest.body`. */
  async read(bytesMax: number): Promise<Bytes> {
    this.#reader.begin(bytesMax);
    this.#state = "reading";
    try {
      await this.#invite();
      const body = await this.#reader.read(bytesMax);
      this.#assertWanted();
      this.#state = "wanted";
      this.#reservation?.complete();
      return body;
    } finally {
      // From now on it is the handler that takes time; a reply that is being sent already has its own limit.
      if (!this.#isUnwanted()) this.#options.deadline.clear();
    }
  }

  /** Reads a body that nobody wanted and keeps nothing of it. @returns false when the rest never came */
  async discard(): Promise<boolean> {
    this.#state = "reading";
    this.#allowTime();
    return await this.#reader.discard();
  }

  /** The request has been answered: its body takes no more memory, and the rest of one being read is not for anybody. */
  settle(): void {
    if (this.#state === "reading") this.#state = "unwanted";
    this.#reservation?.release();
  }

  /** The connection is closed: whoever waits for room will not need it. */
  stopWaiting(): void {
    if (this.#reservation?.waits) this.#reservation.release();
  }

  async #invite(): Promise<void> {
    const { requestHead: { framing, expectsContinue }, invite } = this.#options;
    if (expectsContinue) {
      if (framing.kind === "length" && framing.bytes > FREE_BYTES) await this.#makeRoom(framing.bytes);
      await invite();
      this.#assertWanted();
    }
    this.#allowTime();
  }

  /** Waits until the body may take so much memory. The client cannot help it, so it has all the time. */
  async #makeRoom(bytes: number): Promise<void> {
    if (this.#reservation !== undefined) return;
    this.#assertWanted();
    const { source, budget, deadline, closeConnection } = this.#options;
    const reservation = budget.reserve(bytes, { received: () => source.received, giveUp: closeConnection });
    this.#reservation = reservation;
    if (reservation.waits) {
      deadline.clear();
      source.watch(() => !reservation.waits, READ_WAITING_BYTES).then((end) => {
        if (end === "gone") this.stopWaiting();
      });
    }
    await reservation.granted;
    this.#assertWanted();
    this.#allowTime();
  }

  #onProgress(): void {
    this.#assertWanted();
    const { source: { received }, stalledSeconds } = this.#options;
    if (received - this.#receivedBefore >= stalledSeconds * BODY_BYTES_PER_SECOND_MIN) this.#allowTime();
  }

  #allowTime(): void {
    this.#receivedBefore = this.#options.source.received;
    this.#options.deadline.set(this.#options.stalledSeconds);
  }

  /** @throws ClientLeft when the request was answered before its body was complete */
  #assertWanted(): void {
    if (this.#isUnwanted()) throw new ClientLeft();
  }

  /** Whether the request was answered while its body was being read. */
  #isUnwanted(): boolean {
    return this.#state === "unwanted";
  }
}
