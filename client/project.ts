import { type Given, withApply } from "./apply_by_type.ts";
import type { DecisionModel } from "./decision_model.ts";
import type { ProjectedRows, RowModel } from "./project_rows.ts";
import { type Projected, projectState } from "./project_state.ts";
import type { ProjectOptions } from "./projector.ts";
import { mustSpeak, type Server } from "./server.ts";

/** Runs a projector. A model with a key has a row for each key, any other has one state. */
export async function* project<Events extends object, State>(
  server: Server,
  name: string,
  given: object,
  options: ProjectOptions,
): AsyncGenerator<Projected<State> | ProjectedRows<State>, never> {
  mustSpeak(server, "A");
  const model = withApply<DecisionModel<Events, State> | RowModel<Events, State>>(
    given as Given,
  );
  if (!("key" in model)) return yield* projectState(server, name, model, options);
  const { projectRows } = await import("./project_rows.ts");
  return yield* projectRows(server, name, model, options);
}
