import { ApiError } from "../model/errors.ts";
import { throwIfFailed } from "../store/api/outcome.ts";
import type { StoreWriter } from "../store/api/store.ts";
import { Admission } from "./admission.ts";
import type { WriteTurns } from "./write_queue.ts";

/** The kind of its turn, as `/debug` shows it. */
export const HOURLY_OPTIMIZE = "optimize";

const HOUR_MILLISECONDS = 3_600_000;

/**
 * Refreshes the database's statistics every hour, the first time one hour after startup, in a turn of the
 * write queue. An hour that finds the queue full is skipped.
 * @returns a function that stops it
 */
export function startHourlyOptimize(
  queue: WriteTurns,
  writer: Pick<StoreWriter, "optimize">,
  report: (error: Error) => void,
  periodMilliseconds = HOUR_MILLISECONDS,
): () => void {
  const timer = setInterval(async () => {
    try {
      const admission = new Admission(HOURLY_OPTIMIZE);
      await queue.alone(admission, async () => throwIfFailed(await writer.optimize()));
    } catch (error) {
      const skipped = error instanceof ApiError && error.code !== "InternalError";
      if (!skipped) report(error as Error);
    }
  }, periodMilliseconds);
  return () => clearInterval(timer);
}
