import type { ReadingClock } from "../../time/reading_clock.ts";

/** How long a client may take, in seconds. */
export interface Timeouts {
  /** For a request head, from its first byte, or from the connection's beginning. */
  readonly requestHead: number;
  /** For each `BODY_BYTES_PER_SECOND_MIN` times this many bytes of a body, or for the rest of it. */
  readonly stalledBody: number;
  /** For memory to become free for a large body. */
  readonly bodyRoom: number;
  /** For so much of a body that holds memory for which others wait that all of it comes in less than `bodyRoom`. */
  readonly contendedBody: number;
  /** Between two requests. */
  readonly idle: number;
  /** To accept a piece of a reply. */
  readonly line: number;
  /** To notice a rejection while it is still sending. */
  readonly linger: number;
}

export const TIMEOUTS: Timeouts = {
  requestHead: 10,
  stalledBody: 30,
  bodyRoom: 30,
  contendedBody: 2,
  idle: 120,
  line: 30,
  linger: 2,
};

/** The moment at which a connection is closed unless its client has done its part. */
export class Deadline {
  readonly #clock: Pick<ReadingClock, "now">;
  #at = Infinity;

  constructor(clock: Pick<ReadingClock, "now">) {
    this.#clock = clock;
  }

  /** The client has so many seconds from now on. */
  set(seconds: number): void {
    this.#at = this.#clock.now + seconds * 1000;
  }

  /** It is not the client that is waited for. */
  clear(): void {
    this.#at = Infinity;
  }

  /** The client has so many seconds at most. */
  shorten(seconds: number): void {
    this.#at = Math.min(this.#at, this.#clock.now + seconds * 1000);
  }

  /** `now` by the same clock. */
  isOver(now: number): boolean {
    return now > this.#at;
  }
}
