import type { FoundEvent } from "./wire_event.ts";

export interface FoundProjection {
  readonly type: string;
  readonly id: string;
  readonly version: string;
  readonly payload: string;
}

/** The whole content of a store, as it was read after the disruption. */
export interface StoreContent {
  readonly storeId: string;
  /** In the order of the store. */
  readonly events: readonly FoundEvent[];
  readonly projections: readonly FoundProjection[];
  readonly isPaused: boolean;
  /** Faults found while reading, such as an index that differs from the events. */
  readonly faults: readonly string[];
}

export function emptyStore(storeId: string): StoreContent {
  return { storeId, events: [], projections: [], isPaused: false, faults: [] };
}
