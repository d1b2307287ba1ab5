import type { StoredEvent, TypeOf } from "./events.ts";
import type { OnlyKnownKeys, Query, SelectedType } from "./queries.ts";

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
  /** Only for `decide`. The state must be plain JSON, at most `maxProjectionSize` bytes (64 KiB). */
  readonly snapshot?: SnapshotOptions;
}

/** Snapshots of a decision model: states that are kept in the store, so that a decision reads only later events. */
export interface SnapshotOptions {
  /** The snapshots are projections of the type `snapshot`, a space and this name. The query of the model gives the ID. */
  readonly name: string;
  /** A decision that has applied so many events writes a snapshot. */
  readonly every: number;
  /** Change it with `initial`, `apply` or `on`. Snapshots of another version or another query are void. */
  readonly version?: string | number;
  /** Called when a snapshot could not be read or written, such as a state that is too large. Decisions do not fail. */
  readonly onError?: (error: unknown) => void;
}

/** Functions by type of event, each of which returns the state after such an event. */
export type ApplyByType<Events extends object, State> = {
  readonly [Type in TypeOf<Events>]?: (state: State, event: StoredEvent<Events, Type>) => State;
};

/**
 * A decision model with a function for each type of event. An item of the query without `types` selects the types
 * that `on` names. Other events that the query selects leave the state as it is.
 *
 * @example
 * ```ts
 * import type { DecisionModelByType } from "eventstore-client";
 *
 * interface Events {
 *   CourseDefined: { capacity: number };
 *   CapacityChanged: { by: number };
 * }
 * const capacity = (course: string): DecisionModelByType<Events, number> => ({
 *   query: { identifiers: { course } },
 *   initial: 0,
 *   on: {
 *     CourseDefined: (_, event) => event.payload.capacity,
 *     CapacityChanged: (capacity, event) => capacity + event.payload.by,
 *   },
 * });
 * console.log(capacity("c1").query);
 * ```
 */
export interface DecisionModelByType<Events extends object, State>
  extends Omit<DecisionModel<Events, State>, "apply"> {
  /** Returns the state after an event, by its type. */
  readonly on: ApplyByType<Events, State>;
}

/** A decision model that is written in a call: with `apply`, or with `on`. The compiler infers the exact query. */
export interface GivenModel<Events extends object, State, Q extends Query<Events> = Query<Events>>
  extends Omit<DecisionModel<Events, State>, "query" | "apply"> {
  /** Selects the events that are applied. The types that it names narrow the event of `apply`. */
  readonly query: Q & OnlyKnownKeys<Events, Q>;
  /** Returns the state after an event. */
  readonly apply?: (state: State, event: StoredEvent<Events, SelectedType<Events, Q>>) => State;
  /** Instead of `apply`: returns the state after an event, by its type. */
  readonly on?: ApplyByType<Events, State>;
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
