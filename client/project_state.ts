import type { DecisionModel } from "./decision_model.ts";
import { Conflict, StoreReset } from "./errors.ts";
import type { Position } from "./events.ts";
import { follow } from "./follow.ts";
import { initialState } from "./initial_state.ts";
import { getProjection, pathOf } from "./projections.ts";
import { asPayload, fromPayload, type ProjectOptions, SEQUENCES_MAX, writeProjections } from "./projector.ts";
import { isPassing, retriesFor } from "./retries.ts";
import type { Server } from "./server.ts";

/** The type of the projections that hold states of projectors; the id is the name. */
const TYPE = "projector";

/** A stored state, and the position up to which events are applied. */
export interface Projected<State> {
  /** The result of `apply`. */
  readonly state: State;
  /** The position up to which events are applied. */
  readonly checkpoint: Position;
}

/** Applies every event once, and stores the state with the checkpoint in one write. */
export async function* projectState<Events extends object, State>(
  server: Server,
  name: string,
  model: DecisionModel<Events, State>,
  options: ProjectOptions,
): AsyncGenerator<Projected<State>, never> {
  const { query, apply } = model;
  const { signal } = options;
  const retries = retriesFor(server, signal, true);
  let version: string | undefined;
  let voidVersion: string | undefined;
  let voidStoreId: string | undefined;
  for (;;) {
    try {
      // The stored state counts: another copy may have written one, or a write whose answer was lost.
      const found = await getProjection(server, pathOf(TYPE, name), { signal });
      let stored = found && fromPayload<Projected<State>>(server, found.payload);
      version = found?.version;
      if (version === voidVersion || stored?.checkpoint.storeId === voidStoreId) stored = undefined;
      if (stored) yield stored;
      for await (
        const { events, checkpoint } of follow(server, query, { ...options, from: stored?.checkpoint })
      ) {
        const moved = checkpoint.sequence - (stored?.checkpoint.sequence ?? 0);
        if (events.length === 0 && moved < SEQUENCES_MAX) continue;
        let state = stored ? stored.state : initialState(model);
        for (const event of events) state = apply(state, event);
        stored = { state, checkpoint };
        const one = { type: TYPE, id: name, payload: asPayload(server, stored) };
        const projections = version ? { replace: [{ ...one, version }] } : { create: [one] };
        const nameOf = (): string => "its state";
        const { create, replace } = await writeProjections(server, name, projections, nameOf, signal);
        ({ version } = (create[0] ?? replace[0])!);
        retries.reset();
        yield stored;
      }
    } catch (error) {
      if (error instanceof StoreReset) {
        // If the ID is the same as before, the versions show which states were stored before the reset and which
        // after it.
        if (error.position.storeId !== error.storeId) voidStoreId = error.position.storeId;
        voidVersion = version;
      } else await retries.after(error, error instanceof Conflict || isPassing(error));
    }
  }
}
