import { setImmediate } from "node:timers";

/*
 * One tick of the event loop. A read that finds bytes waiting goes on without ever leaving the tick, so that a client
 * who sends fast enough would have the thread to itself.
 */

const TICK_MILLISECONDS_MAX = 10;

let end: Promise<void> | undefined;
let beganAt = 0;

/** Whether this tick has lasted so long that whoever could go on should wait for the next one. */
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

/** Resolves when everybody else has had their turn. */
export async function nextTick(): Promise<void> {
  await end;
}
