import { type Direction, startOf } from "./direction.ts";
import type { Range } from "./range.ts";

/** The number of events in one block of the time index. */
export const BLOCK_EVENTS = 1024;

export function blockOf(sequence: number): number {
  return Math.floor(sequence / BLOCK_EVENTS);
}

/** The times of the events in one block. */
export interface TimeBlock {
  readonly block: number;
  readonly timeMin: number;
  readonly timeMax: number;
}

/** Returns the blocks that contain the events after `head`, with the times of these events alone. */
export function blocksOf(head: number, events: readonly { readonly timeMicros: number }[]): TimeBlock[] {
  const blocks: TimeBlock[] = [];
  for (let start = 0; start < events.length;) {
    const block = blockOf(head + 1 + start);
    const end = Math.min(events.length, (block + 1) * BLOCK_EVENTS - head - 1);
    let [timeMin, timeMax] = [Infinity, -Infinity];
    for (let i = start; i < end; i++) {
      const { timeMicros } = events[i]!;
      timeMin = Math.min(timeMin, timeMicros);
      timeMax = Math.max(timeMax, timeMicros);
    }
    blocks.push({ block, timeMin, timeMax });
    start = end;
  }
  return blocks;
}

/** The position in a range at which a search comes to a block. */
export function startOfBlock(block: number, range: Range, direction: Direction): number {
  const events = { after: block * BLOCK_EVENTS - 1, upTo: (block + 1) * BLOCK_EVENTS - 1 };
  return Math.min(range.upTo, Math.max(range.after, startOf(events, direction)));
}
