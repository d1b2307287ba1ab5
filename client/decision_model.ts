import type { StoredEvent } from "./events.ts";
import type { Query } from "./queries.ts";

/**
 * A state that is computed from events: begin with `initial`, then apply every event that matches the query, in
 * order. Each use begins with a copy of its own, so `apply` may also change the state that it gets, and return it.
 */
export interface DecisionModel<Events extends object, State> {
  /** Selects the events that are applied. */
  readonly query: Query<Events>;
  /**
   * The state before the first event, or a function that returns it. A value is copied before each use. Instances of
   * classes and functions cannot be copied: return them from a function.
   */
  readonly initial: State | (() => State);
  /** Returns the state after an event. */
  readonly apply: (state: State, event: StoredEvent<Events>) => State;
}

/**
 * Types a decision model that is written in a place of its own, so that several decisions can share it.
 *
 * @example
 * ```ts
 * import { decisionModel } from "eventstore-client";
 *
 * interface Events {
 *   CourseDefined: { capacity: number };
 * }
 * const capacity = (course: string) =>
 *   decisionModel<Events, number>({
 *     query: { types: ["CourseDefined"], identifiers: { course } },
 *     initial: 0,
 *     apply: (_, event) => event.payload.capacity,
 *   });
 * console.log(capacity("c1").query);
 * ```
 */
export function decisionModel<Events extends object, State>(
  model: DecisionModel<Events, State>,
): DecisionModel<Events, State> {
  return model;
}
