import { ConnectionLost, type EventStoreError, Unavailable } from "./errors.ts";

const FIRST_MILLISECONDS = 20;
const MILLISECONDS_MAX = 2000;

/** True for an error that goes away by itself, so that a read can be repeated. A wrong address does not. */
export function isPassing(error: unknown): error is EventStoreError {
  return error instanceof ConnectionLost || error instanceof Unavailable && error.code !== "NeverReached";
}

/** Decides how long a failing operation is repeated. */
export interface Retries {
  /** Call it after a success: the time begins again with the next failure. */
  reset(): void;
  /** Waits before the next attempt. Throws the error if it does not go away by itself, or has lasted too long. */
  after(error: unknown, mayRepeat?: boolean): Promise<void>;
}

/** The parts of a server that decide how long calls to it are repeated. */
interface Repeated {
  readonly contact: { readonly hasAnswered?: boolean };
  readonly retrySeconds: number;
}

/**
 * The time begins with the first failure. It is `retrySeconds`, or endless with a server that has answered: one that
 * never has may be a wrong address.
 */
export function retriesFor(
  { contact, retrySeconds: seconds }: Repeated,
  signal: AbortSignal | undefined,
  isEndless?: boolean,
): Retries {
  let failures = 0;
  let endsAt: number;
  return {
    reset() {
      failures = 0;
    },
    async after(error, mayRepeat = isPassing(error)) {
      if (!failures++) endsAt = Date.now() + 1000 * seconds;
      if (!mayRepeat) throw error;
      if (Date.now() >= endsAt && !(isEndless && contact.hasAnswered)) {
        if (failures > 1 && isPassing(error) && !error.status) error.message += `, tried for ${seconds} s`;
        throw error;
      }
      await jitter(failures, signal);
    },
  };
}

/** Does the work, and repeats it while it fails with an error that goes away. */
export async function repeated<T>(
  retries: Retries,
  work: () => Promise<T>,
  mayRepeat: (error: unknown) => boolean = isPassing,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      await retries.after(error, mayRepeat(error));
    }
  }
}

/**
 * Waits for a random time that grows with each failure. So clients that failed together do not retry together.
 * @throws the reason of the signal
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
