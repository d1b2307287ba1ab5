import { Session } from "../../tests/editions/b_tx/session.ts";
import type { Client } from "../../tests/support/client.ts";
import type { ServerProcess } from "../../tests/support/server_process.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Random } from "../workload/random.ts";
import { callA, callB, callC, type CallInto, type Identifiers, Moments } from "./clients.ts";
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
  const open = (i: number): Client => servers[i % servers.length]!.client();
  const calls = await recordCalls(edition, open, random, new Moments());
  return { calls, log: await logOf(edition, servers[0].client()) };
}

/**
 * Returns the calls of some clients.
 * @param open the client for a call by its number
 * @param common the identifiers that all events have
 */
export async function recordCalls(
  edition: EditionName,
  open: (i: number) => Client,
  random: Random,
  moments: Moments,
  common: Identifiers = {},
): Promise<Call[]> {
  const calls: Call[] = [];
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    const own = random.fork();
    for (let i = 0; i < CALLS_OF_A_CLIENT; i++) {
      using session = await Session.open(open(client + i));
      calls.push(...await CALL[edition](session, own, moments, common));
    }
  }));
  return calls;
}

/** Reads the resulting log. @param client sees every event */
export async function logOf(edition: EditionName, client: Client): Promise<LoggedEvent[]> {
  const events = await client.allEvents(edition === "B" ? "all" : "*");
  return events.map(({ sequence, type, identifiers, payload }): LoggedEvent => ({
    sequence,
    type,
    identifiers: Object.entries(identifiers).map(([name, value]) => ({ name, value: String(value) })),
    call: Number(payload),
  }));
}
