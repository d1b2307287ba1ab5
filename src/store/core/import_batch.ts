import type { ProjectionReplace } from "../../model/projection.ts";
import type { PreparedEvent } from "./prepare_event.ts";

/** Part of the content of a new store. */
export interface ImportBatch {
  /** The next events. */
  readonly events: readonly PreparedEvent[];
  readonly projections: readonly ProjectionReplace[];
}
