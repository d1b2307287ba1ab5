import type { WriteHealth } from "../store/core/write_health.ts";

const MILLISECONDS = 60_000;

type Health = Pick<WriteHealth, "failing" | "failures">;

/** Calls back in a minute. @returns a function that cancels it */
type InOneMinute = (callBack: () => void) => () => void;

const inOneMinute: InOneMinute = (callBack) => {
  const timer = setTimeout(callBack, MILLISECONDS);
  return () => clearTimeout(timer);
};

/**
 * FailingWritesLog reports at once that writes fail, and that they succeed again. In the minute after the first report
 * it counts further failures, and then reports them in one line: on a disk that is almost full, writes fail and succeed
 * in turns.
 */
export class FailingWritesLog {
  readonly #health: Health;
  readonly #warn: (text: string) => void;
  readonly #inOneMinute: InOneMinute;
  /** Given while a minute runs. */
  #cancelMinute: (() => void) | undefined;
  #failuresReported = 0;
  /** The last line says that writes fail. */
  #saysFailing = false;

  constructor(health: Health, warn: (text: string) => void, callLater: InOneMinute = inOneMinute) {
    this.#health = health;
    this.#warn = warn;
    this.#inOneMinute = callLater;
  }

  /** To be called when writes begin to fail, and when one is committed again. */
  changed(): void {
    const { failing, failures } = this.#health;
    if (failing === undefined) {
      if (this.#saysFailing) this.#report();
      return;
    }
    if (this.#cancelMinute !== undefined) return;
    // The line is about this failure itself.
    this.#failuresReported = failures;
    this.#report();
    this.#startMinute();
  }

  close(): void {
    this.#cancelMinute?.();
  }

  #startMinute(): void {
    this.#cancelMinute = this.#inOneMinute(() => {
      this.#cancelMinute = undefined;
      if (this.#health.failures === this.#failuresReported) return;
      this.#report();
      this.#startMinute();
    });
  }

  #report(): void {
    const { failing, failures } = this.#health;
    const more = failures - this.#failuresReported;
    const state = failing === undefined ? "writes succeed again" : `writes fail: ${failing.reason}`;
    this.#warn(more === 0 ? state : `${state} (${more} more failed)`);
    this.#failuresReported = failures;
    this.#saysFailing = failing !== undefined;
  }
}
