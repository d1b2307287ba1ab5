import type { EditionName } from "../workload/perform.ts";
import { type Random, shuffled } from "../workload/random.ts";
import type { Balancing } from "./balancer.ts";

/** What is random about a chain: its servers, how they find the hosts, and the proxy before them. */
export interface ChainPlan {
  readonly servers: readonly UrlForms[];
  /** Whether servers reach the hosts over links that can break, or directly. */
  readonly hasFronts: boolean;
  readonly balancing: Balancing;
  readonly faultRate: number;
  readonly isPatroni: boolean;
  /** Whether the servers are told that every replica that is promoted has everything (`postgresFailover`). */
  readonly isLossless: boolean;
}

/** How a server's settings name the hosts. */
export interface UrlForms {
  /** The places of the three hosts. */
  readonly order: readonly number[];
  readonly target: string | undefined;
  readonly read: { readonly order: readonly number[]; readonly target: string | undefined } | undefined;
}

/** What becomes of the primary. `cutOff` and `silent`: it lives on, and no server reaches it. */
export type End = "kill" | "stop" | "cutOff" | "silent";

/** What is random about one failover. */
export interface RoundPlan {
  readonly isSynchronous: boolean;
  readonly isLossy: boolean;
  readonly end: End;
  /** A primary that was cut off can be reached again for a moment, before it is ended. */
  readonly returns: boolean;
  /** The third host goes on following the old primary. */
  readonly isOrphaned: boolean;
  /** The third host receives nothing before the failover. */
  readonly isThirdStalled: boolean;
  /** How late each replica is at most, in milliseconds. */
  readonly lag: readonly [target: number, third: number];
  /** Which of the servers are killed with the primary. */
  readonly killed: "none" | "one" | "all";
}

/** The part of failovers in which something is lost. */
const LOSSY = 0.45;

/** One chain in so many is looked after by Patroni. */
const PATRONI_EVERY = 10;

/** Without any parameter as often as with each of the others. */
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

/** Of one chain; Patroni keeps a synchronous standby, and loses nothing. */
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
    // Without a synchronous replica, nothing keeps two primaries from taking writes.
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
