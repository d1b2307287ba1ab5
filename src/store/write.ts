import type { Condition } from "../model/condition.ts";
import type { ProjectionChanges } from "../model/projection.ts";
import type { PreparedEvent } from "./prepare_event.ts";

/** One member of a write group: checked completely, then written completely, or not at all. */
export interface StoreWrite {
  readonly conditions: readonly CheckedCondition[];
  readonly projections: ProjectionChanges;
  readonly events: readonly PreparedEvent[];
}

/** A condition, and how far it is already known to hold. */
export interface CheckedCondition extends Condition {
  /** In the store of this ID, no event up to here matches. */
  readonly checked?: { readonly storeId: string; readonly upTo: number };
}

export const EMPTY_WRITE: StoreWrite = {
  conditions: [],
  projections: { create: [], replace: [], delete: [] },
  events: [],
};

/** The result of a write, provided that its transaction commits. */
export type WriteResult = Written | { readonly kind: "conflict"; readonly conflict: Conflict };

export interface Written {
  readonly kind: "written";
  readonly storeId: string;
  readonly firstSequence: number;
  readonly versions: NewVersions;
}

/** New versions of the projections that a write created and replaced, in the order sent. */
export interface NewVersions {
  readonly create: readonly { readonly version: string }[];
  readonly replace: readonly { readonly version: string }[];
}

/** The first check of a write that failed. */
export type Conflict = ConditionConflict | ProjectionConflict;

/** A condition that no longer holds: which one, and why. */
export interface ConditionConflict {
  readonly list: "conditions";
  readonly index: number;
  readonly cause: "eventMatches" | "otherStore";
}

/** A change that the stored projections do not allow: which list and index, and why. */
export interface ProjectionConflict {
  readonly list: "create" | "replace" | "delete";
  readonly index: number;
  readonly cause: "exists" | "otherVersion";
}
