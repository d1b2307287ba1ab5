import { LATE_MILLISECONDS } from "./reading_clock.ts";

/** How long accumulated work may take, each time that this timer is late again. */
const GRACE_MILLISECONDS = 250;
const GRACES_MAX = 8;

/**
 * Calls back after a time. If the process was too busy to do so on time, or was stopped, it first reads the bytes
 * received meanwhile. These may stop the timer.
 */
export class GraceTimer {
  readonly #callBack: () => void;
  #dueAt!: number;
  #graces = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number, callBack: () => void) {
    this.#callBack = callBack;
    this.#start(milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(milliseconds: number): void {
    this.#dueAt = performance.now() + milliseconds;
    this.#timer = setTimeout(() => this.#ring(), milliseconds);
  }

  #ring(): void {
    const isLate = performance.now() - this.#dueAt > LATE_MILLISECONDS;
    if (isLate && this.#graces++ < GRACES_MAX) this.#start(GRACE_MILLISECONDS);
    else this.#callBack();
  }
}
