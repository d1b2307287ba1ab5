/** Three threads at this niceness together get as much of a processor as one without. */
const NICENESS = 5;

let isAsked = false;

/**
 * Lowers the priority of this thread, which matters with more threads than processors. A worker's work for one client must
 * not keep the main thread from serving the others. Call it with the worker's first work, and as often as convenient.
 * Loading the module takes 2.5 MB and 8 ms, which can wait until the event loop runs.
 */
export function lowerThreadPriority(): void {
  if (isAsked) return;
  isAsked = true;
  // Without a process ID it applies to this thread alone, on Linux. Where it is not allowed, all threads stay equal.
  import("node:os").then(({ setPriority }) => setPriority(NICENESS)).catch(() => {});
}
