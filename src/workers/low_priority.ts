/** Three threads at this niceness together get as much of a processor as one without. */
const NICENESS = 5;

let isAsked = false;

/**
 * Lets this thread stand back when there are more threads than processors: what a worker does for one client must
 * not keep the main thread from serving the others. To be called with a worker's first work, and as often as is
 * convenient: to load what it takes is 2.5 MB and 8 ms, which can wait until the event loop has its turn.
 */
export function lowerThreadPriority(): void {
  if (isAsked) return;
  isAsked = true;
  // Without a process ID it is the thread alone, on Linux. Where it is not allowed, all are equal.
  import("node:os").then(({ setPriority }) => setPriority(NICENESS)).catch(() => {});
}
