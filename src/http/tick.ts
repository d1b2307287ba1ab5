import { setImmediate } from "node:timers";

/*
 * One tick of the event loop. A read that finds bytes waiting goes on without ever leaving the tick, so that a client
 * who sends fast enough would have the thread to itself; and so would many who send at the same time.
 */

const TICK_MILLISECONDS_MAX = 10;

/** The end of this tick, once somebody waits for it. */
let end: Promise<void> | undefined;
/** When a tick was last seen to begin. To see each of them would cost every request a timer. */
let beganAt = 0;

/**
 * Whether this tick may have lasted so long that whoever could go on should wait for its end, and then ask again. The
 * work must follow at once: whoever waits in between lets all others ask before any of them has taken time.
 */
export function tickIsLong(): boolean {
  return performance.now() - beganAt > TICK_MILLISECONDS_MAX;
}

/** Resolves when everything else has had its turn. */
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
