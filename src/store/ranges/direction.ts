import type { Range } from "./range.ts";

/**
 * In which order the events of a range are searched. How far a search has come is a position between two events, given
 * as the sequence of the earlier one: forwards everything up to it has been seen, backwards everything after it.
 */
export type Direction = "forwards" | "backwards";

export function startOf({ after, upTo }: Range, direction: Direction): number {
  return direction === "forwards" ? after : upTo;
}

export function endOf({ after, upTo }: Range, direction: Direction): number {
  return direction === "forwards" ? upTo : after;
}

/** The position of a search that comes to this event next. */
export function positionBefore(sequence: number, direction: Direction): number {
  return direction === "forwards" ? sequence - 1 : sequence;
}

/** The position of a search that has just come past this event. */
export function positionBehind(sequence: number, direction: Direction): number {
  return direction === "forwards" ? sequence : sequence - 1;
}

/** What a search that has come to a position has still to see of a range. */
export function restOf({ after, upTo }: Range, position: number, direction: Direction): Range {
  return direction === "forwards" ? { after: position, upTo } : { after, upTo: position };
}

/** What a search that has come to a position has seen of a range. */
export function seenOf({ after, upTo }: Range, position: number, direction: Direction): Range {
  return direction === "forwards" ? { after, upTo: position } : { after: position, upTo };
}

/** The part of a range in which a search begins, at most so many events. */
export function beginningOf(range: Range, events: number, direction: Direction): Range {
  const { after, upTo } = range;
  if (upTo - after <= events) return range;
  return seenOf(range, direction === "forwards" ? after + events : upTo - events, direction);
}

export function contains({ after, upTo }: Range, sequence: number): boolean {
  return after < sequence && sequence <= upTo;
}

/** Sequences in the order of a search. */
export function sortedFor(sequences: readonly number[], direction: Direction): Float64Array {
  const sorted = Float64Array.from(sequences).sort();
  return direction === "forwards" ? sorted : sorted.reverse();
}
