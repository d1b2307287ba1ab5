import { BodyQuotaExceeded } from "../exchange.ts";
import type { BodyBudget } from "./body_budget.ts";
import type { ByteSource } from "./byte_source.ts";
import type { Reservation } from "./reservation.ts";
import type { Deadline } from "./timeouts.ts";

/**
 * The server reads so many bytes of a body that waits for memory, to notice when its client disconnects. It notices
 * nothing if the client has sent more.
 */
const READ_WAITING_BYTES = 8 * 1024;

/** The parts of a connection that its requests share. */
export interface RequestConnection {
  readonly source: ByteSource;
  readonly budget: BodyBudget;
  readonly deadline: Deadline;
  readonly stalledSeconds: number;
  /** Sends `100 Continue`, so that the client sends the body. */
  readonly invite: () => Promise<void>;
  readonly close: () => void;
}

/** The memory that one body has reserved. */
export class BodyMemory {
  readonly #connection: RequestConnection;
  #held: Reservation | undefined;
  /** A larger reservation, requested because `#held` was not enough. */
  #larger: Reservation | undefined;

  constructor(connection: RequestConnection) {
    this.#connection = connection;
  }

  /**
   * Waits until the body may take so much memory. The client is not at fault, so it has no deadline meanwhile.
   * @returns false when the body has the memory already
   */
  async reserve(bytes: number): Promise<boolean> {
    const held = this.#held;
    if (held !== undefined && held.bytes >= bytes) return false;
    const { source, budget, deadline } = this.#connection;
    const reservation = budget.reserve(bytes, {
      received: () => source.received,
      giveUp: () => this.#giveUp(),
    });
    if (held === undefined) this.#held = reservation;
    else this.#larger = reservation;
    if (reservation.waits) {
      deadline.clear();
      source.watch(() => !reservation.waits, READ_WAITING_BYTES).then((end) => {
        if (end === "gone") this.stopWaiting();
      });
    }
    await reservation.granted;
    if (held !== undefined) {
      this.#held = reservation;
      this.#larger = undefined;
      held.release();
    }
    return true;
  }

  complete(): void {
    this.#held?.complete();
  }

  release(): void {
    this.#larger?.release();
    this.#held?.release();
  }

  /** The connection is closed, so a body that waits for memory no longer needs it. */
  stopWaiting(): void {
    for (const reservation of [this.#larger, this.#held]) {
      if (reservation?.waits) reservation.release();
    }
  }

  /** Called when others need the memory that the body holds. If it waits for more, its client is not at fault. */
  #giveUp(): void {
    const larger = this.#larger;
    if (larger === undefined) this.#connection.close();
    // If the larger one has just been granted, the body is about to release the smaller one.
    else if (larger.waits) larger.release(new BodyQuotaExceeded());
  }
}
