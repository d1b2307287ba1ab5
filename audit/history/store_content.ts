import type { FoundEvent } from "./wire_event.ts";

export interface FoundProjection {
  readonly type: string;
  readonly id: string;
  readonly version: string;
  readonly payload: string;
}

/** Everything that a store holds, as it was read after whatever had happened to it. */
export interface StoreContent {
  readonly storeId: string;
  /** In the order of the store. */
  readonly events: readonly FoundEvent[];
  readonly projections: readonly FoundProjection[];
  readonly isPaused: boolean;
  /** What reading itself found wrong, such as an index that differs from the events. */
  readonly faults: readonly string[];
}

export function emptyStore(storeId: string): StoreContent {
  return { storeId, events: [], projections: [], isPaused: false, faults: [] };
}
