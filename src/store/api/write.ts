import type { Condition } from "../../model/condition.ts";
import type { ProjectionChanges } from "../../model/projection.ts";
import type { Tag } from "../../model/tag.ts";
import type { PreparedEvent } from "../core/prepare_event.ts";

/** One member of a write group: checked completely, then written completely, or not at all. */
export interface StoreWrite {
  readonly conditions: readonly CheckedCondition[];
  readonly projections: ProjectionChanges;
  readonly events: readonly PreparedEvent[];
  /** The subject whose keys are destroyed before the events are appended. */
  readonly forget?: Tag | undefined;
  /** True when it may be returned unwritten because checking its conditions takes long. */
  readonly hasBudget?: boolean;
}

/** Takes the writes that have come since a group was formed. They follow the writes of the group. */
export type TakeMore = () => readonly StoreWrite[];

/** A condition, and what is already known of it. */
export interface CheckedCondition extends Condition {
  readonly checked?: Checked;
}

export interface Checked {
  /** The store for which the rest is true. */
  readonly storeId: string;
  /** No event up to here matches. */
  readonly upTo: number;
  /** The event after that matches. */
  readonly matched: boolean;
}

export const EMPTY_WRITE: StoreWrite = {
  conditions: [],
  projections: { create: [], replace: [], delete: [] },
  events: [],
};

/**
 * The result of a write, provided that its transaction commits. `unknownSubject`: nothing was written, since the
 * subject to forget never had a key.
 */
export type WriteResult =
  | Written
  | { readonly kind: "conflict"; readonly conflict: Conflict }
  | { readonly kind: "unknownSubject" };

/** A result, or `overBudget`: nothing was written, since the conditions should be checked before the transaction. */
export type AttemptResult = WriteResult | { readonly kind: "overBudget" };

export interface Written {
  readonly kind: "written";
  readonly storeId: string;
  readonly firstSequence: number;
  readonly versions: NewVersions;
  /** True when the subject to forget still had a key; undefined when there is no subject to forget. */
  readonly hadKey?: boolean | undefined;
}

/** New versions of the projections that a write created and replaced, in the order sent. */
export interface NewVersions {
  readonly create: readonly { readonly version: string }[];
  readonly replace: readonly { readonly version: string }[];
}

/** The first check of a write that failed. */
export type Conflict = ConditionConflict | ProjectionConflict;

/** A condition that no longer holds: which one, and why. */
export type ConditionConflict =
  & { readonly list: "conditions"; readonly index: number }
  & (
    /** `sequence` is that of the first event that matches. */
    | { readonly cause: "eventMatches"; readonly sequence: number }
    | { readonly cause: "otherStore" }
  );

/** A change that the stored projections do not allow: which list and index, and why. */
export interface ProjectionConflict {
  readonly list: "create" | "replace" | "delete";
  readonly index: number;
  readonly cause: "exists" | "otherVersion";
}
