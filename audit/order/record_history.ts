import { Session } from "../../tests/editions/b_tx/session.ts";
import type { ServerProcess } from "../../tests/support/server_process.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Random } from "../workload/random.ts";
import { callA, callB, callC, type CallInto, Moments } from "./clients.ts";
import type { Call, History, LoggedEvent } from "./history.ts";

const CLIENTS = 12;
const CALLS_OF_A_CLIENT = 12;

const CALL: Readonly<Record<EditionName, CallInto>> = { A: callA, B: callB, C: callC };

/**
 * Several clients read, decide and write at the same time, on few tags, so that they often conflict.
 * @param servers of one store, each of which gets some of the calls
 */
export async function recordHistory(
  edition: EditionName,
  servers: readonly [ServerProcess, ...ServerProcess[]],
  random: Random,
): Promise<History> {
  const calls: Call[] = [];
  const moments = new Moments();
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    const own = random.fork();
    for (let i = 0; i < CALLS_OF_A_CLIENT; i++) {
      const server = servers[(client + i) % servers.length]!;
      using session = await Session.open(server.client());
      calls.push(...await CALL[edition](session, own, moments));
    }
  }));
  const events = await servers[0].client().allEvents(edition === "B" ? "all" : "*");
  const log = events.map(({ sequence, type, identifiers, payload }): LoggedEvent => ({
    sequence,
    type,
    identifiers: Object.entries(identifiers).map(([name, value]) => ({ name, value: String(value) })),
    call: Number(payload),
  }));
  return { calls, log };
}
