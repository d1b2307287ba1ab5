import type { Observations } from "./observations.ts";
import type { SeenEvent, Segment } from "./observed.ts";

/** The whole content of a store, at a moment when no client writes. */
export interface Settled {
  readonly storeId: string;
  /** In the order of their sequences. */
  readonly events: readonly SeenEvent[];
}

/** How the primary failed, and which host took over. Times are in microseconds. */
export interface Failover {
  /** True when the promoted host may have lacked acknowledged writes. */
  readonly isLossy: boolean;
  /** The head of the promoted host before its promotion. Undefined when it was not read. */
  readonly kept: number | undefined;
  readonly struckAt: number;
  readonly promotedAt: number;
  /**
   * True when the servers know that no event that they have seen is lost: a setting says so, or the only server has
   * survived.
   */
  readonly isKnownWhole: boolean;
}

/** A client that follows a topic for the whole life of the chain. */
export interface Follower {
  readonly name: string;
  /** The identifier that events of the topic carry; undefined for all events. */
  readonly topic: Topic | undefined;
  /** The events received, store after store. */
  readonly segments: Segment[];
}

export interface Topic {
  readonly name: string;
  readonly value: string;
}

/** All observations of one round. */
export interface Evidence {
  readonly before: Settled;
  readonly failover: Failover;
  readonly after: Settled;
  readonly observations: Observations;
  readonly followers: readonly Follower[];
  /** True when a server reads from replicas: then pages may lag. */
  readonly readsReplicas: boolean;
}
