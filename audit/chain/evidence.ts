import type { Follower } from "./following.ts";
import type { Observations } from "./observations.ts";
import type { SeenEvent } from "./observed.ts";

/** All of a store, at a moment at which nobody writes. */
export interface Settled {
  readonly storeId: string;
  /** In order. */
  readonly events: readonly SeenEvent[];
}

/** What became of the primary, and of what it had acknowledged. Times are in microseconds. */
export interface Failover {
  /** Whether the host that took over may have lacked what was acknowledged. */
  readonly isLossy: boolean;
  /** The head of the host that took over, before it did; undefined when it was not asked. */
  readonly kept: number | undefined;
  readonly struckAt: number;
  readonly promotedAt: number;
  /** Whether the servers know that nothing is lost that they have seen: a setting says so, or the only one has survived. */
  readonly isKnownWhole: boolean;
}

/** Everything about one round. */
export interface Evidence {
  readonly before: Settled;
  readonly failover: Failover;
  readonly after: Settled;
  readonly observations: Observations;
  readonly followers: readonly Follower[];
  /** Whether a server reads from replicas: then pages may lag. */
  readonly readsReplicas: boolean;
}
