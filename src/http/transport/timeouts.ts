import type { ReadingClock } from "../../time/reading_clock.ts";

/** The timeouts of a client, in seconds. */
export interface Timeouts {
  /** For a request head, from its first byte, or from the start of the connection. */
  readonly requestHead: number;
  /** For each `BODY_BYTES_PER_SECOND_MIN` times this many bytes of a body, or for the rest of it. */
  readonly stalledBody: number;
  /** For memory to become free for a large body. */
  readonly bodyMemory: number;
  /**
   * For one portion of a body that holds memory while others wait. The portion is large enough that the whole body
   * takes less than `bodyMemory`.
   */
  readonly contendedBody: number;
  readonly idle: number;
  /** For the client to accept a piece of a reply. */
  readonly line: number;
  /** For the client to notice a rejection while it is still sending. */
  readonly linger: number;
}

export const TIMEOUTS: Timeouts = {
  requestHead: 10,
  stalledBody: 30,
  bodyMemory: 30,
  contendedBody: 2,
  idle: 120,
  line: 30,
  linger: 2,
};

/** The moment at which a connection is closed unless its client has sent or accepted enough bytes. */
export class Deadline {
  readonly #clock: Pick<ReadingClock, "now">;
  #at = Infinity;

  constructor(clock: Pick<ReadingClock, "now">) {
    this.#clock = clock;
  }

  set(seconds: number): void {
    this.#at = this.#clock.now + seconds * 1000;
  }

  /** Removes the deadline, since the server no longer waits for the client. */
  clear(): void {
    this.#at = Infinity;
  }

  /** Sets the deadline to at most so many seconds from now. */
  shorten(seconds: number): void {
    this.#at = Math.min(this.#at, this.#clock.now + seconds * 1000);
  }

  /** True when the deadline has passed. `now` is a time of the same clock. */
  isOver(now: number): boolean {
    return now > this.#at;
  }
}
