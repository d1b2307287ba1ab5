import { ClientDisconnected } from "../../model/errors.ts";

/** The client that sends a body. */
export interface Sender {
  /** Returns the number of bytes that it has sent so far. */
  readonly received: () => number;
  readonly giveUp: () => void;
}

/** The memory of one body, waiting for it or holding it. */
export class Reservation {
  readonly bytes: number;
  readonly askedAt: number;
  readonly #sender: Sender;
  readonly #granted = Promise.withResolvers<void>();
  readonly #onRelease: () => void;
  #state: "waiting" | "receiving" | "givenUp" | "complete" | "over" = "waiting";
  /** When the body last made enough progress, or others began to wait, and the bytes received until then. */
  #enough = { at: 0, received: 0 };

  constructor(bytes: number, sender: Sender, now: number, onRelease: () => void) {
    this.bytes = bytes;
    this.#sender = sender;
    this.askedAt = now;
    this.#onRelease = onRelease;
    // The caller may no longer await it.
    this.#granted.promise.catch(() => {});
  }

  /** Resolves when the body may be read. Rejects with BodyQuotaExceeded, or with the reason of its release. */
  get granted(): Promise<void> {
    return this.#granted.promise;
  }

  get waits(): boolean {
    return this.#state === "waiting";
  }

  /** The body is complete: its client is no longer at fault for any delay. */
  complete(): void {
    if (this.#state === "receiving") this.#state = "complete";
  }

  /** Releases the memory, or stops waiting for it. */
  release(why: Error = new ClientDisconnected()): void {
    if (this.#state === "over") return;
    this.reject(why);
    this.#onRelease();
  }

  grant(): void {
    this.#state = "receiving";
    this.#granted.resolve();
  }

  reject(why: Error): void {
    this.#state = "over";
    this.#granted.reject(why);
  }

  watchFrom(now: number): void {
    this.#enough = { at: now, received: this.#sender.received() };
  }

  /**
   * Returns the bytes received in the last so many seconds, as a fraction of the required bytes.
   * @returns Infinity while it is too early to measure, or when the client is not at fault
   */
  partBrought(now: number, seconds: number, bytesRequired: number): number {
    if (this.#state !== "receiving") return Infinity;
    const brought = this.#sender.received() - this.#enough.received;
    if (brought >= bytesRequired) this.watchFrom(now);
    return now - this.#enough.at > seconds * 1000 ? brought / bytesRequired : Infinity;
  }

  /** True when the body has been cancelled, so that its memory is released soon. */
  get isGivenUp(): boolean {
    return this.#state === "givenUp";
  }

  giveUp(): void {
    this.#state = "givenUp";
    this.#sender.giveUp();
  }
}
