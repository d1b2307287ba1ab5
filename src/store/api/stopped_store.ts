import type { ProjectionReplace } from "../../model/projection.ts";
import type { StoredEvent } from "../core/chunks/chunk_search.ts";
import type { StoreState } from "./state.ts";
import type { StoredSubject } from "./store.ts";

/** The content of a store that no server uses. */
export interface StoppedStore extends StoreState {
  events(): AsyncGenerator<readonly StoredEvent[]>;
  projections(): AsyncGenerator<ProjectionReplace>;
  /** In the order in which their keys were made. Without the setting `subjects`, there are none. */
  subjects(): AsyncGenerator<readonly StoredSubject[]>;
}
