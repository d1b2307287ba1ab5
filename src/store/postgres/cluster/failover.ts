import type { FailoverName } from "../../../config/setting.ts";
import type { TransactionPresence } from "../tables/turns.ts";

/*
 * PostgreSQL begins a new timeline when a replica is promoted, and a restored dump has other OIDs. Nothing in the database
 * itself tells what it lacks of the history that clients know. Only the servers can tell that have worked on it: each
 * remembers the last turn that it has seen.
 */

/** A store on a timeline, as a server finds it. */
export interface Found {
  /** The timeline on which the store is known to be complete; undefined when the operator takes it as it is. */
  readonly recorded: string | undefined;
  /** The timeline on which it is, without a name. */
  readonly now: string;
  /** What has become of the last turn that this server has seen; undefined when it has seen none of this store ID. */
  readonly seen: TransactionPresence | undefined;
  /** How many other servers may have seen later turns, and have not confirmed yet that these are there. */
  readonly awaited: number;
  /** How many other servers are not yet here at all, and may go on to show the history that clients know. */
  readonly absent: number;
  readonly setting: FailoverName;
  /** Whether those that still run have had the time to confirm. */
  readonly isGraceOver: boolean;
}

/**
 * What is to be done about it: the history is whole, it gets a new store ID because something is missing or may be, or the
 * other servers are waited for.
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

/** Where a store is: the cluster, its timeline, the database, and the table `store` in it. */
export function timelineText(sessionTimeline: string, tableOid: string): string {
  return `${sessionTimeline}/${tableOid}`;
}

/** As it is recorded, with a name: replicas that were promoted apart from each other may have the same timeline ID. */
export function namedTimeline(timeline: string): string {
  return `${timeline}/${crypto.randomUUID()}`;
}

/** Whether this timeline was recorded. */
export function isOn(recorded: string | undefined, timeline: string): boolean {
  return recorded?.startsWith(`${timeline}/`) === true;
}

/** What a server writes into its row: it has found everything that it has seen on this timeline, or it has not. */
export function foundOn(timeline: string, presence: TransactionPresence | undefined): string {
  return presence === "present" ? timeline : `${timeline}/${presence ?? "unknown"}`;
}

/** Whether one timeline follows the other in the same cluster. */
function isFailover(recorded: string, now: string): boolean {
  const [oldSystem, , oldDatabase, oldTable] = recorded.split("/");
  const [newSystem, , newDatabase, newTable] = now.split("/");
  return oldSystem === newSystem && oldDatabase === newDatabase && oldTable === newTable;
}

/** Whether a timeline is older than another one of the same cluster, as that of a primary that was replaced. */
export function isOlder(timeline: string, than: string): boolean {
  const [system, id = ""] = timeline.split("/");
  const [otherSystem, otherId = ""] = than.split("/");
  return system === otherSystem && parseInt(id, 16) < parseInt(otherId, 16);
}
