import type { Condition } from "./condition.ts";
import type { NewEvent } from "./event.ts";
import type { ProjectionChanges } from "./projection.ts";

/** Everything that becomes durable together, or not at all. */
export interface Write {
  readonly events: readonly NewEvent[];
  readonly conditions: readonly Condition[];
  readonly projections: ProjectionChanges;
}
