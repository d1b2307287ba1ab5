import type { DecisionModel } from "../../client/mod.ts";

/*
 * The rule of every decision: a show has few seats, and each seat is taken or free. The state also shows which events
 * it was computed from. So a decision on a history that never existed is noticed, whatever it decided.
 */

export const CAPACITY = 3;

/** The state that a handler saw: a fold over the events of a topic. */
export interface Saw {
  readonly taken: number;
  /** The sequence of the last event. */
  readonly last: number;
  /** A hash of the marks of all events, in order. */
  readonly digest: number;
}

export const NOTHING: Saw = { taken: 0, last: 0, digest: 0 };

/** The fields of an event that the state is computed from, for readers and for the audit. */
export interface Counted {
  readonly type: string;
  readonly sequence: number;
  readonly mark: string;
}

/** @throws BrokenRule when no such history can exist */
export function withEvent(saw: Saw, event: Counted): Saw {
  const next = folded(saw, event);
  const fault = faultOfSeats(saw, next, event);
  if (fault !== undefined) throw new BrokenRule(fault);
  return next;
}

/** Computes the next state, even when the rule is broken. */
export function folded({ taken, digest }: Saw, { type, sequence, mark }: Counted): Saw {
  const change = type === "Taken" ? 1 : type === "Released" ? -1 : 0;
  return { taken: taken + change, last: sequence, digest: mixed(digest, mark) };
}

export function faultOfSeats(before: Saw, after: Saw, { sequence, mark }: Counted): string | undefined {
  if (sequence <= before.last) return `event ${sequence} (${mark}) comes behind ${before.last}`;
  if (after.taken >= 0 && after.taken <= CAPACITY) return undefined;
  return `with event ${sequence} (${mark}) ${after.taken} of ${CAPACITY} seats are taken`;
}

/** The error of a handler when the events that it received break the rule. */
export class BrokenRule extends Error {
  override readonly name = "BrokenRule";
}

function mixed(digest: number, text: string): number {
  let mixed = digest;
  for (let i = 0; i < text.length; i++) mixed = (Math.imul(mixed, 31) + text.charCodeAt(i)) >>> 0;
  return mixed;
}

/** The events that the clients of the chain write. */
export interface ChainEvents {
  Taken: { readonly saw: Saw };
  Released: { readonly saw: Saw };
  Noted: { readonly n: number };
  Filled: { readonly text: string };
}

export function seatsOf(show: string): DecisionModel<ChainEvents, Saw> {
  return {
    query: { identifiers: { show } },
    initial: NOTHING,
    apply: (saw, { type, sequence, metadata }) =>
      withEvent(saw, { type, sequence, mark: String(metadata["mark"]) }),
  };
}

/** The state of all shows of a hall, without the rule of one show. */
export function hallOf(hall: string): DecisionModel<ChainEvents, Saw> {
  return {
    query: { identifiers: { hall } },
    initial: NOTHING,
    apply: (saw, { type, sequence, metadata }) =>
      folded(saw, { type, sequence, mark: String(metadata["mark"]) }),
  };
}
