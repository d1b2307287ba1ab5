import { join } from "node:path";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { emptyStore as emptyB } from "../../tests/editions/b_tx/client.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import type { EditionName } from "../../src/config/setting.ts";
import { Random } from "../workload/random.ts";
import { faultsOfOrder } from "./check_order.ts";
import type { Call } from "./history.ts";
import { recordHistory } from "./record_history.ts";

/** A round is one history: one order of all its calls must explain each answer. */
export async function orderRounds({ edition, seed, extent, directory }: CheckContext): Promise<Figures> {
  const random = new Random(seed);
  const tally = { rounds: 0, calls: 0, accepted: 0, conflicts: 0, reads: 0, overlappingReads: 0 };
  Deno.mkdirSync(join(directory, "server"));
  await using server = await startServer({
    directory: join(directory, "server"),
    listen: "unix",
    listenOnly: true,
    env: { SERVICE_EDITION: edition, SERVICE_DEV_MODE: "true", SERVICE_MAX_QUEUED_WRITES: "1000" },
  });
  for (; !extent.isOver(tally.rounds); tally.rounds++) {
    const history = await recordHistory(edition, [server], random.fork());
    const faults = faultsOfOrder(history);
    if (faults.length > 0) {
      Deno.writeTextFileSync(join(directory, "history.json"), JSON.stringify(history, null, 1));
      throw new AuditFailure(`history ${tally.rounds}`, faults.slice(0, 10));
    }
    const { calls } = history;
    tally.calls += calls.length;
    tally.accepted += calls.filter((call) =>
      call.kind === "write" && call.outcome.kind === "accepted"
    ).length;
    tally.conflicts +=
      calls.filter((call) => call.kind === "write" && call.outcome.kind === "conflict").length;
    tally.reads += calls.filter(({ kind }) => kind === "read").length;
    tally.overlappingReads += overlappingReads(calls);
    await resetStore(edition, server);
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

export async function resetStore(edition: EditionName, server: ServerProcess): Promise<void> {
  if (edition === "B") return await emptyB(server.client());
  await server.client().reset();
}
