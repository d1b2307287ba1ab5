import { pause } from "../../tests/support/eventually.ts";
import { AuditFailure } from "../report.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Random } from "../workload/random.ts";
import type { Chain } from "./chain.ts";
import type { Evidence, Failover } from "./evidence.ts";
import { GO_ON_SECONDS, SILENT_SECONDS, untilGoesOn } from "./going_on.ts";
import { faultsOfRound } from "./checker.ts";
import { microseconds } from "./observed.ts";
import type { RoundPlan } from "./plan.ts";
import type { ChainServer } from "./servers.ts";
import { readSettled } from "./settled.ts";

/** The number of decisions before the failover, after the loss has begun, and after the repair. */
const DECISIONS_BEFORE = 60;
const DECISIONS_LOST = 12;
const DECISIONS_AFTER = 40;

/** The time limit for followers while no client writes. */
const FOLLOW_SECONDS = 60;

/** After this time, a server that was killed no longer counts. */
const GONE_SECONDS = 20;

/** The result of a round. */
export interface RoundResult {
  readonly evidence: Evidence;
  /** Milliseconds until every server that must accept writes did so. */
  readonly goOn: number;
  /** True when the old primary kept connections open and sent nothing. */
  readonly isSilent: boolean;
}

/**
 * One failover: clients act, the primary fails, another host takes over, and writes resume. Then the answers that
 * clients received are compared with the content of the store.
 * @throws AuditFailure
 */
export async function runRound(
  edition: EditionName,
  chain: Chain,
  plan: RoundPlan,
  random: Random,
): Promise<RoundResult> {
  const { hosts, servers } = chain;
  chain.beginRound();
  const { observations, before } = chain;
  await hosts.prepare(plan);
  const end = chain.load();
  await chain.untilDecided(DECISIONS_BEFORE);
  hosts.beginLoss();
  if (plan.isLossy) await chain.untilDecided(DECISIONS_LOST);
  await pause(random.below(60));
  const isAlone = isTheOnlyOne(servers);
  const [{ starts }] = servers as readonly [ChainServer, ...ChainServer[]];
  const struck = await hosts.strike(() => killServers(chain, plan, random));
  const isSilent = plan.end === "silent";
  const seconds = isSilent ? SILENT_SECONDS : GO_ON_SECONDS;
  const goOn = await untilGoesOn(edition, servers, observations, chain.lines, seconds);
  const mayKeepId = chain.plan.isLossless || isAlone && !plan.isLossy && servers[0]!.starts === starts;
  const isKnownWhole = mayKeepId && !mayShowUnanswered(chain, plan);
  const failover: Failover = { ...struck, isKnownWhole };
  await hosts.mend();
  await chain.untilDecided(DECISIONS_AFTER);
  await end();
  await hosts.settle();
  const after = await readSettled(servers, edition, observations);
  await chain.untilFollowed(after, FOLLOW_SECONDS);
  const { followers, readsReplicas } = chain;
  const evidence = { before, failover, after, observations, followers, readsReplicas };
  chain.lines?.forks(evidence);
  const faults = faultsOfRound(evidence);
  if (faults.length > 0) throw new AuditFailure(describe(plan, evidence), faults);
  chain.before = after;
  return { evidence, goOn, isSilent };
}

/** True when there is only one server, and no earlier life of it still counts. */
function isTheOnlyOne([server, ...others]: readonly ChainServer[]): boolean {
  const { starts, startedAt } = server!;
  return others.length === 0 && (starts === 1 || performance.now() - startedAt > 1000 * GONE_SECONDS);
}

/**
 * True when a server may have seen a write that was never answered and that the new primary lacks. That happens on a
 * replica that is ahead of the synchronous one. It also happens on a primary whose processes stop waiting for the
 * synchronous replica when they end. A client may have read the write, so the store gets a new ID.
 */
function mayShowUnanswered({ readsReplicas }: Chain, { end }: RoundPlan): boolean {
  return readsReplicas || end === "kill";
}

function killServers({ servers }: Chain, { killed }: RoundPlan, random: Random): void {
  if (killed === "all") servers.forEach((server) => server.kill());
  if (killed === "one") random.pick(servers).kill();
}

function describe(plan: RoundPlan, { failover, before, after }: Evidence): string {
  const times = { seconds: (microseconds() - failover.struckAt) / 1e6 };
  const stores =
    `store ${before.storeId} with ${before.events.length} events, then ${after.storeId} with ${after.events.length}`;
  return `${JSON.stringify(plan)} ${JSON.stringify({ ...failover, ...times })} ${stores}`;
}
