/** The sequences `after < sequence <= upTo`. */
export interface Range {
  readonly after: number;
  readonly upTo: number;
}

/**
 * The order in which the events of a range are searched. The progress of a search is a position between two events,
 * given as the sequence of the earlier one. Forwards, every event up to it has been searched; backwards, every event
 * after it.
 */
export type Direction = "forwards" | "backwards";

export function startOf({ after, upTo }: Range, direction: Direction): number {
  return direction === "forwards" ? after : upTo;
}

export function endOf({ after, upTo }: Range, direction: Direction): number {
  return direction === "forwards" ? upTo : after;
}

/** Returns the position just before this event, in the order of the search. */
export function positionBefore(sequence: number, direction: Direction): number {
  return direction === "forwards" ? sequence - 1 : sequence;
}

/** Returns the position just behind this event, in the order of the search. */
export function positionBehind(sequence: number, direction: Direction): number {
  return direction === "forwards" ? sequence : sequence - 1;
}

/** True when a search at a position has searched this event. */
export function isSeen(sequence: number, position: number, direction: Direction): boolean {
  return direction === "forwards" ? sequence <= position : sequence > position;
}

/** Returns the position that a search reaches first. */
export function nearer(a: number, b: number, direction: Direction): number {
  return direction === "forwards" ? Math.min(a, b) : Math.max(a, b);
}

/** Returns the part of a range that a search at a position has not searched yet. */
export function restOf({ after, upTo }: Range, position: number, direction: Direction): Range {
  return direction === "forwards" ? { after: position, upTo } : { after, upTo: position };
}

/** Returns the part of a range that a search at a position has already searched. */
export function seenOf({ after, upTo }: Range, position: number, direction: Direction): Range {
  return direction === "forwards" ? { after, upTo: position } : { after: position, upTo };
}

/** Returns the part of a range in which a search begins, at most this many events. */
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
