import { join } from "node:path";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { emptyStore as emptyB } from "../../tests/editions/b_tx/client.ts";
import { Session } from "../../tests/editions/b_tx/session.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import type { EditionName } from "../workload/perform.ts";
import { Random } from "../workload/random.ts";
import { faultsOfOrder } from "./check_order.ts";
import { callA, callB, callC, type CallInto, Moments } from "./clients.ts";
import type { Call, History, LoggedEvent } from "./history.ts";

/*
 * Several clients read, decide and write at the same time, on few tags, so that they often get in each other's way.
 * Then one order of all their calls must explain each answer.
 */

const CLIENTS = 12;
const CALLS_OF_A_CLIENT = 12;

const CALL: Readonly<Record<EditionName, CallInto>> = { A: callA, B: callB, C: callC };

/** A round is one history. */
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
    const history = await recordHistory(edition, server, random.fork());
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
    await reset(edition, server);
  }
  demand("histories", tally.rounds, {
    accepted: [tally.accepted, tally.rounds * 10],
    conflicts: [tally.conflicts, (tally.accepted + tally.conflicts) / 50],
    "reads beside a write": [tally.overlappingReads, tally.reads / 10],
  });
  return tally;
}

function overlappingReads(calls: readonly Call[]): number {
  const writes = calls.filter(({ kind }) => kind === "write");
  return calls.filter((call) =>
    call.kind === "read" && writes.some(({ begun, ended }) => begun < call.ended && call.begun < ended)
  ).length;
}

async function recordHistory(edition: EditionName, server: ServerProcess, random: Random): Promise<History> {
  const calls: Call[] = [];
  const moments = new Moments();
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    const own = random.fork();
    for (let i = 0; i < CALLS_OF_A_CLIENT; i++) {
      using session = await Session.open(server.client());
      calls.push(...await CALL[edition](session, own, moments));
    }
  }));
  const events = await server.client().allEvents(edition === "B" ? "all" : "*");
  const log = events.map(({ sequence, type, identifiers, payload }): LoggedEvent => ({
    sequence,
    type,
    identifiers: Object.entries(identifiers).map(([name, value]) => ({ name, value: String(value) })),
    call: Number(payload),
  }));
  return { calls, log };
}

async function reset(edition: EditionName, server: ServerProcess): Promise<void> {
  if (edition === "B") return await emptyB(server.client());
  await server.client().reset();
}
