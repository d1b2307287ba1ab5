import { ConnectionLost, Unavailable } from "./errors.ts";

const FIRST_MILLISECONDS = 20;
const MILLISECONDS_MAX = 2000;

/** Whether an error goes away by itself, so that a read can be repeated. */
export function isPassing(error: unknown): boolean {
  return error instanceof ConnectionLost || error instanceof Unavailable;
}

/** How long to go on with what fails. */
export class Retries {
  readonly #seconds: number;
  readonly #signal: AbortSignal | undefined;
  #failures = 0;
  #endsAt = 0;

  constructor(seconds: number, signal: AbortSignal | undefined) {
    this.#seconds = seconds;
    this.#signal = signal;
  }

  /** Something went well: the time begins anew with the next failure. */
  reset(): void {
    this.#failures = 0;
  }

  /** Waits before the next attempt, or throws the error, which does not go away or has lasted too long. */
  async after(error: unknown, mayRepeat = isPassing(error)): Promise<void> {
    if (this.#failures++ === 0) this.#endsAt = Date.now() + 1000 * this.#seconds;
    if (!mayRepeat || Date.now() >= this.#endsAt) throw error;
    await jitter(this.#failures, this.#signal);
  }
}

/**
 * Waits a while of random length that grows with each failure, so that those who failed together do not come
 * again together. @throws the reason of the signal
 */
export async function jitter(failures: number, signal: AbortSignal | undefined): Promise<void> {
  const most = Math.min(MILLISECONDS_MAX, FIRST_MILLISECONDS * 2 ** failures);
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, most * Math.random());
    signal?.addEventListener("abort", end);
  });
  signal?.throwIfAborted();
}
