import type { FailoverName } from "../../../config/setting.ts";
import type { TransactionPresence } from "../tables/turns.ts";

/*
 * PostgreSQL begins a new timeline when a replica is promoted, and a restored dump has other OIDs. Nothing in the
 * database shows which part of the history known to clients is missing. Only servers that have worked on it can
 * determine that: each remembers the last write transaction that it has seen.
 */

/** A store on a timeline, as a server finds it. */
export interface Found {
  /**
   * The timeline on which the store is known to be complete. Undefined: the operator accepts the database as it is.
   */
  readonly recorded: string | undefined;
  /** The current timeline of the store, without a name. */
  readonly now: string;
  /**
   * The state of the last write transaction that this server has seen. Undefined when it has seen none of this store
   * ID.
   */
  readonly seen: TransactionPresence | undefined;
  /**
   * How many other servers may have seen later write transactions, and have not confirmed yet that these are
   * present.
   */
  readonly awaited: number;
  /**
   * How many other servers have not reached this timeline yet. They may continue to show the history that clients
   * know.
   */
  readonly absent: number;
  readonly setting: FailoverName;
  /** True when the other running servers have had enough time to confirm. */
  readonly isGraceOver: boolean;
}

/**
 * The decision. `whole`: the history is complete. `renew`: a part is or may be missing, so the store gets a new ID.
 * `wait`: the other servers must confirm first.
 */
export type Verdict = "whole" | "renew" | "wait";

export function verdictOf({ recorded, now, seen, awaited, absent, setting, isGraceOver }: Found): Verdict {
  if (recorded === undefined) return "whole";
  if (seen === "missing") return absent === 0 || isGraceOver ? "renew" : "wait";
  if (isOn(recorded, now)) return "whole";
  if (seen === "present" && awaited === 0) return "whole";
  if (setting === "lossless" && isFailover(recorded, now)) return "whole";
  return isGraceOver ? "renew" : "wait";
}

/** Identifies the location of a store: the cluster, its timeline, the database, and the table `store` in it. */
export function timelineText(sessionTimeline: string, tableOid: string): string {
  return `${sessionTimeline}/${tableOid}`;
}

/** The recorded form, with a random name: replicas that were promoted independently may have the same timeline ID. */
export function namedTimeline(timeline: string): string {
  return `${timeline}/${crypto.randomUUID()}`;
}

/** True when this timeline is the recorded one. */
export function isOn(recorded: string | undefined, timeline: string): boolean {
  return recorded?.startsWith(`${timeline}/`) === true;
}

/** The text that a server writes into its row. It says whether the server has found everything that it has seen. */
export function foundOn(timeline: string, presence: TransactionPresence | undefined): string {
  return presence === "present" ? timeline : `${timeline}/${presence ?? "unknown"}`;
}

/** True when both timelines belong to the same cluster and table, so that one follows the other. */
function isFailover(recorded: string, now: string): boolean {
  const [oldSystem, , oldDatabase, oldTable] = recorded.split("/");
  const [newSystem, , newDatabase, newTable] = now.split("/");
  return oldSystem === newSystem && oldDatabase === newDatabase && oldTable === newTable;
}

/** True when a timeline is older than another one of the same cluster, like the timeline of a replaced primary. */
export function isOlder(timeline: string, than: string): boolean {
  const [system, id = ""] = timeline.split("/");
  const [otherSystem, otherId = ""] = than.split("/");
  return system === otherSystem && parseInt(id, 16) < parseInt(otherId, 16);
}
