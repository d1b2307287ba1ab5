import { join } from "node:path";
import { faultsOfOrder } from "../order/check_order.ts";
import { RecordedServer } from "../order/recorded_server.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { Random } from "../workload/random.ts";
import { LinearizabilityChecker, linesOf } from "./checker.ts";
import { translated } from "./translate.ts";

/** A round is one history, as in `order`. Porcupine must find an order too, so that two checkers agree. */
export async function linearizabilityRounds(
  { edition, seed, extent, directory }: CheckContext,
): Promise<Figures> {
  const random = new Random(seed);
  const tally = { rounds: 0, operations: 0, conflicts: 0, checkedMs: 0, slowestMs: 0 };
  using checker = await LinearizabilityChecker.build();
  await using server = await RecordedServer.start(edition, directory);
  for (; !extent.isOver(tally.rounds); tally.rounds++) {
    for (const history of await server.record(random.fork())) {
      const operations = translated(history);
      const path = join(directory, "history.jsonl");
      Deno.writeTextFileSync(path, linesOf(operations));
      const { verdict, account, seconds } = await checker.checkFile(path);
      const faults = faultsOfOrder(history);
      if (verdict !== "linearizable" || faults.length > 0) {
        throw new AuditFailure(`history ${tally.rounds}`, [
          `Porcupine: ${verdict}`,
          ...account,
          faults.length === 0 ? "order: right" : "order: wrong",
          ...faults.slice(0, 10),
        ]);
      }
      tally.operations += operations.length;
      tally.conflicts += operations.filter(({ output }) =>
        "kind" in output && output.kind === "conflict"
      ).length;
      tally.checkedMs += Math.round(seconds * 1000);
      tally.slowestMs = Math.max(tally.slowestMs, Math.round(seconds * 1000));
    }
  }
  demand("histories", tally.rounds, {
    operations: [tally.operations, tally.rounds * 250],
    conflicts: [tally.conflicts, tally.rounds * 20],
  });
  return tally;
}
