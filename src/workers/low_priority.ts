import { setPriority } from "node:os";

/** Three threads at this niceness together get as much of a processor as one without. */
const NICENESS = 5;

/**
 * Lets this thread stand back when there are more threads than processors: what a worker does for one client must
 * not keep the main thread from serving the others.
 */
export function standBack(): void {
  try {
    // Without a process ID it is the thread alone, on Linux.
    setPriority(NICENESS);
  } catch {
    // Where it is not allowed, all are equal.
  }
}
