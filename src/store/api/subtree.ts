import type { TreeState } from "../../model/merkle_tree.ts";
import type { StoreState } from "./state.ts";

/** A request for the digest of some events that follow each other, as they are stored. */
export interface SubtreeRequest {
  /** The sequences of the first and of the last event. */
  readonly first: number;
  readonly last: number;
  /** The part that earlier answers have computed. */
  readonly done: TreeState;
}

/** A subtree, up to its last event or to what could be computed in a short time. */
export interface SubtreePart extends StoreState {
  readonly done: TreeState;
}
