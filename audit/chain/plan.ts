import type { EditionName } from "../../src/config/setting.ts";
import { type Random, shuffled } from "../workload/random.ts";
import type { Balancing } from "./balancer.ts";

/** The random settings of a chain: its servers, how they find the hosts, and the proxy in front of them. */
export interface ChainPlan {
  readonly servers: readonly UrlForms[];
  /** True when servers reach the hosts over links that can break, false when they connect directly. */
  readonly hasFronts: boolean;
  readonly balancing: Balancing;
  readonly faultRate: number;
  readonly isPatroni: boolean;
  /** True when the servers may assume that every promoted replica has everything (`postgresFailover`). */
  readonly isLossless: boolean;
}

/** How a server's settings name the hosts. */
export interface UrlForms {
  /** The order of the three hosts in the URL. */
  readonly order: readonly number[];
  readonly target: string | undefined;
  readonly read: { readonly order: readonly number[]; readonly target: string | undefined } | undefined;
}

/** How the primary fails. `cutOff` and `silent`: it keeps running, and no server reaches it. */
export type End = "kill" | "stop" | "cutOff" | "silent";

/** The random settings of one failover. */
export interface RoundPlan {
  readonly isSynchronous: boolean;
  readonly isLossy: boolean;
  readonly end: End;
  /** A primary that was cut off can be reached again for a moment, before it is ended. */
  readonly returns: boolean;
  /** The third host continues to follow the old primary. */
  readonly isOrphaned: boolean;
  /** The third host receives nothing before the failover. */
  readonly isThirdStalled: boolean;
  /** The maximum delay of each replica, in milliseconds. */
  readonly lag: readonly [target: number, third: number];
  /** The servers that are killed with the primary. */
  readonly killed: "none" | "one" | "all";
}

/** The share of failovers with loss. */
const LOSSY = 0.45;

/** One chain in this number is managed by Patroni. */
const PATRONI_EVERY = 10;

/** Leaving the parameter out is twice as likely as each of its values. */
const TARGETS = [undefined, undefined, "any", "read-write", "primary", "standby", "prefer-standby"] as const;
const READ_TARGETS = [undefined, "prefer-standby", "prefer-standby", "standby", "any"] as const;

export function planChain(random: Random, edition: EditionName, chain: number): ChainPlan {
  const count = edition === "A" ? random.pick([1, 2, 2, 3]) : random.pick([2, 2, 3]);
  const readsReplicas = random.chance(0.55);
  const isPatroni = chain % PATRONI_EVERY === PATRONI_EVERY - 1;
  return {
    servers: Array.from({ length: count }, () => planUrls(random, readsReplicas)),
    hasFronts: random.chance(0.7),
    balancing: edition === "A" ? random.pick(["any", "any", "sticky"]) : random.pick(["sticky", "health"]),
    faultRate: random.pick([0, 0.01, 0.03, 0.08]),
    isPatroni,
    isLossless: random.chance(isPatroni ? 0.5 : 0.15),
  };
}

function planUrls(random: Random, readsReplicas: boolean): UrlForms {
  const order = (): number[] => shuffled([0, 1, 2], random);
  return {
    order: order(),
    target: random.pick(TARGETS),
    read: readsReplicas ? { order: order(), target: random.pick(READ_TARGETS) } : undefined,
  };
}

/** Draws a round of a chain. Patroni maintains a synchronous standby, and loses nothing. */
export function planRound(random: Random, { hasFronts, isPatroni, isLossless }: ChainPlan): RoundPlan {
  const mustHaveAll = isPatroni || isLossless;
  const isLossy = !mustHaveAll && random.chance(LOSSY);
  const isSynchronous = mustHaveAll || !isLossy && random.chance(0.6);
  const ends: End[] = isLossy || isSynchronous ? ["kill", "kill", "kill", "stop"] : ["stop"];
  if (hasFronts && !isPatroni) ends.push("cutOff", "cutOff", "silent");
  return {
    isSynchronous,
    isLossy,
    end: random.pick(ends),
    // Without a synchronous replica, nothing prevents two primaries from accepting writes.
    returns: isSynchronous && random.chance(0.5),
    isOrphaned: random.chance(0.4),
    isThirdStalled: random.chance(0.25),
    lag: [random.pick([0, 0, 5, 20, 60]), random.pick([0, 5, 40, 150])],
    killed: random.pick(["none", "none", "none", "none", "one", "all"]),
  };
}

/** A URL for some hosts. */
export function urlOf(ports: readonly number[], target: string | undefined): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
  return `postgresql://postgres@${hosts}/postgres${
    target === undefined ? "" : `?target_session_attrs=${target}`
  }`;
}
