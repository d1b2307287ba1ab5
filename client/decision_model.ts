import type { StoredEvent } from "./events.ts";
import type { Query } from "./queries.ts";

/**
 * What is to be known of some events: begin with `initial`, apply every event that matches the query, in order.
 * `apply` returns the next state and leaves the one that it was given as it is.
 */
export interface DecisionModel<Events extends object, State> {
  /** Which events count. */
  readonly query: Query<Events>;
  /** What is known before the first event. */
  readonly initial: State;
  /** What is known after an event. */
  readonly apply: (state: State, event: StoredEvent<Events>) => State;
}

/**
 * Types a decision model that is written apart from its use, so that several decisions can share it.
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
 * console.log(capacity("c1").initial);
 * ```
 */
export function decisionModel<Events extends object, State>(
  model: DecisionModel<Events, State>,
): DecisionModel<Events, State> {
  return model;
}
