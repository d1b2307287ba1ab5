import { setImmediate } from "node:timers";

/*
 * One tick of the event loop. A read that finds bytes in the buffer continues within the same tick. A client that
 * sends fast enough could keep the thread for itself, and so could many clients that send at the same time.
 */

const TICK_MILLISECONDS_MAX = 10;

/** The end of this tick, once a caller waits for it. */
let end: Promise<void> | undefined;
/** The last known start of a tick. To record every start would cost each request a timer. */
let beganAt = 0;

/**
 * True when this tick may have lasted too long. The caller should then wait for its end and ask again. When it is
 * false, the caller must start its work at once. If it awaits in between, all others ask before any of them has taken
 * time.
 */
export function tickIsLong(): boolean {
  return performance.now() - beganAt > TICK_MILLISECONDS_MAX;
}

/** Resolves when all other pending work of the event loop has run. */
export function tickEnd(): Promise<void> {
  end ??= new Promise((resolve) =>
    setImmediate(() => {
      end = undefined;
      beganAt = performance.now();
      resolve();
    })
  );
  return end;
}
