import { setImmediate } from "node:timers";

/*
 * One tick of the event loop. A read that finds bytes waiting goes on without ever leaving the tick, so that a client
 * who sends fast enough would have the thread to itself; and so would many who send at the same time.
 */

const TICK_MILLISECONDS_MAX = 10;

let end: Promise<void> | undefined;
let beganAt = 0;

/**
 * Whether this tick has lasted so long that whoever could go on should wait for its end, and then ask again. The work
 * must follow at once: whoever waits in between lets all others ask before any of them has taken time.
 */
export function tickIsLong(): boolean {
  if (end !== undefined) return performance.now() - beganAt > TICK_MILLISECONDS_MAX;
  beganAt = performance.now();
  end = new Promise((resolve) =>
    setImmediate(() => {
      end = undefined;
      resolve();
    })
  );
  return false;
}

/** Resolves when everything else has had its turn. */
export function tickEnd(): Promise<void> {
  return end ?? Promise.resolve();
}
