import type { Row } from "../protocol/cells.ts";
import type { CountedState } from "../tables/state.ts";
import { presenceOf, type TransactionPresence } from "../tables/turns.ts";

/**
 * The last write transaction that this server has seen. It has answered a write or a read with it, or has only read
 * it. A database without that transaction is not the one on which this server has worked.
 */
export class SeenHistory {
  /** The other servers that may write, as of the last check: they may have seen more. */
  others: Set<string> = new Set();
  /** The timeline on which this server works; empty before the first. */
  timeline = "";
  last: CountedState | undefined;

  saw(state: CountedState): void {
    if (this.last === undefined || state.turn.number > this.last.turn.number) this.last = state;
  }

  /** Begins another timeline. Everything seen before is part of this history, or of one with another store ID. */
  beginOn(timeline: string, state: CountedState): void {
    this.timeline = timeline;
    this.last = state;
  }
}

/**
 * Returns the state of the last write transaction that was seen, by the answer to `readTurn`. Undefined when it
 * belongs to another store ID and this store is later: then the new ID has already shown clients that something is
 * missing.
 */
export function presenceIn(
  { storeId, turn }: CountedState,
  seen: CountedState | undefined,
  turnRows: readonly Row[],
): TransactionPresence | undefined {
  if (seen === undefined || (seen.storeId !== storeId && turn.number >= seen.turn.number)) return undefined;
  return presenceOf(seen.turn, turnRows);
}
