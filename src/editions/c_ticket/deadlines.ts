import { Age, nowMicros } from "../../time/clock.ts";
import { GraceTimer } from "../../time/grace_timer.ts";

/** The setting that made a transaction expire. */
export type Expiry = "transactionTimeout" | "maxTransactionDuration";

export interface DeadlineSeconds {
  readonly transactionTimeout: number;
  readonly maxTransactionDuration: number;
}

/**
 * The two deadlines of a transaction. Each call moves the first; nothing moves the second. While a call runs, only
 * the second counts.
 */
export class Deadlines {
  readonly age: Age = new Age();
  readonly ceilingMicros: number;
  readonly #idleSeconds: number;
  readonly #expire: (why: Expiry) => void;
  readonly #ceilingTimer: GraceTimer;
  #idleTimer: GraceTimer | undefined;
  #idleEndsMicros = Infinity;

  constructor(seconds: DeadlineSeconds, expire: (why: Expiry) => void) {
    const { transactionTimeout, maxTransactionDuration } = seconds;
    this.ceilingMicros = this.age.sinceMicros + maxTransactionDuration * 1_000_000;
    this.#idleSeconds = transactionTimeout;
    this.#expire = expire;
    this.#ceilingTimer = new GraceTimer(
      maxTransactionDuration * 1000,
      () => expire("maxTransactionDuration"),
    );
    this.#awaitCall(this.age.sinceMicros);
  }

  /** The time when the transaction ends if no further call comes, or if the running call never ends. */
  get deadlineMicros(): number {
    return Math.min(this.ceilingMicros, this.#idleEndsMicros);
  }

  callBegan(): void {
    this.#idleTimer?.stop();
    this.#idleEndsMicros = Infinity;
  }

  callEnded(): void {
    this.#awaitCall(nowMicros());
  }

  #awaitCall(fromMicros: number): void {
    this.#idleTimer?.stop();
    this.#idleEndsMicros = fromMicros + this.#idleSeconds * 1_000_000;
    this.#idleTimer = new GraceTimer(this.#idleSeconds * 1000, () => this.#expire("transactionTimeout"));
  }

  stop(): void {
    this.#ceilingTimer.stop();
    this.#idleTimer?.stop();
  }
}
