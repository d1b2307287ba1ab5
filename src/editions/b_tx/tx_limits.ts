import { LimitReached } from "../../model/errors.ts";

/*
 * What a transaction of edition B may hold. What is decided where: a request that exceeds a limit by itself, before
 * it is decoded; one that does so with what came before it, by the transaction.
 */

/** Bounds the projections that a transaction reads or writes. No setting does. */
export const PROJECTIONS_PER_TX_MAX = 10_000;

export function tooManyEvents(maxEventsPerTx: number): LimitReached {
  return new LimitReached(`the transaction has more events than maxEventsPerTx (${maxEventsPerTx})`);
}

export function tooManyProjections(): LimitReached {
  return new LimitReached(`the transaction reads and writes more than ${PROJECTIONS_PER_TX_MAX} projections`);
}
