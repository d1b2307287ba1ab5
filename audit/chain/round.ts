import { pause } from "../../tests/support/eventually.ts";
import { AuditFailure } from "../report.ts";
import type { EditionName } from "../workload/perform.ts";
import type { Random } from "../workload/random.ts";
import type { Chain } from "./chain.ts";
import type { Evidence, Failover } from "./evidence.ts";
import { GO_ON_SECONDS, SILENT_SECONDS, untilGoesOn } from "./going_on.ts";
import { faultsOfRound } from "./checker.ts";
import { microseconds } from "./observed.ts";
import type { RoundPlan } from "./plan.ts";
import type { ChainServer } from "./servers.ts";
import { readSettled } from "./settled.ts";

/** How many decisions there are before the failover, after what is lost has begun, and after it has mended. */
const DECISIONS_BEFORE = 60;
const DECISIONS_LOST = 12;
const DECISIONS_AFTER = 40;

/** How long followers may take in quiet. */
const FOLLOW_SECONDS = 60;

/** After so long, a server that was killed no longer counts. */
const GONE_SECONDS = 20;

/** What a round has shown. */
export interface RoundResult {
  readonly evidence: Evidence;
  /** Until every server that must write did, in milliseconds. */
  readonly goOn: number;
  /** Whether the old primary kept connections open and said nothing. */
  readonly isSilent: boolean;
}

/**
 * One failover: clients act, the primary fails and another host takes over, everything goes on, and what the clients
 * were told is compared with all that is there.
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

/** Whether one server alone has used the store, also in the life of those before it that still counts. */
function isTheOnlyOne([server, ...others]: readonly ChainServer[]): boolean {
  const { starts, startedAt } = server!;
  return others.length === 0 && (starts === 1 || performance.now() - startedAt > 1000 * GONE_SECONDS);
}

/**
 * Whether a server may have seen a write that was never answered, and that the new primary lacks: on a replica that is
 * ahead of the synchronous one, or on a primary whose processes stop waiting for that one as they end. A client may have
 * read it, so the store gets a new ID.
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
