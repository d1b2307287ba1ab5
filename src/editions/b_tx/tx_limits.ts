import { LimitReached } from "../../model/errors.ts";

/*
 * The limits of a transaction of edition B. A request that exceeds a limit by itself is rejected before it is
 * decoded. If it exceeds one only together with earlier requests, the transaction rejects it.
 */

/** Bounds the projections that a transaction reads or writes. There is no setting for it. */
export const PROJECTIONS_PER_TX_MAX = 10_000;

export function tooManyEvents(maxEventsPerTx: number): LimitReached {
  return new LimitReached(`the transaction has more events than maxEventsPerTx (${maxEventsPerTx})`);
}

export function tooManyProjections(): LimitReached {
  return new LimitReached(`the transaction reads and writes more than ${PROJECTIONS_PER_TX_MAX} projections`);
}
