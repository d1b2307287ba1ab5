import { join } from "node:path";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { Random } from "../workload/random.ts";
import { faultsOfOrder } from "./check_order.ts";
import type { Call } from "./history.ts";
import { RecordedServer } from "./recorded_server.ts";

/**
 * A round is one history, or one of each of two tenants: one order of all its calls must explain each answer.
 */
export async function orderRounds({ edition, seed, extent, directory }: CheckContext): Promise<Figures> {
  const random = new Random(seed);
  const tally = { rounds: 0, calls: 0, accepted: 0, conflicts: 0, reads: 0, overlappingReads: 0 };
  await using server = await RecordedServer.start(edition, directory);
  for (; !extent.isOver(tally.rounds); tally.rounds++) {
    const histories = await server.record(random.fork());
    for (const history of histories) {
      const faults = faultsOfOrder(history);
      if (faults.length === 0) continue;
      Deno.writeTextFileSync(join(directory, "history.json"), JSON.stringify(history, null, 1));
      throw new AuditFailure(`history ${tally.rounds}`, faults.slice(0, 10));
    }
    const calls = histories.flatMap(({ calls }) => calls);
    tally.calls += calls.length;
    tally.accepted += calls.filter((call) =>
      call.kind === "write" && call.outcome.kind === "accepted"
    ).length;
    tally.conflicts +=
      calls.filter((call) => call.kind === "write" && call.outcome.kind === "conflict").length;
    tally.reads += calls.filter(({ kind }) => kind === "read").length;
    tally.overlappingReads += overlappingReads(calls);
  }
  demand("histories", tally.rounds, {
    accepted: [tally.accepted, tally.rounds * 10],
    conflicts: [tally.conflicts, (tally.accepted + tally.conflicts) / 4],
    "reads beside a write": [tally.overlappingReads, tally.reads / 2],
  });
  return tally;
}

function overlappingReads(calls: readonly Call[]): number {
  const writes = calls.filter(({ kind }) => kind === "write");
  return calls.filter((call) =>
    call.kind === "read" && writes.some(({ begun, ended }) => begun < call.ended && call.begun < ended)
  ).length;
}
