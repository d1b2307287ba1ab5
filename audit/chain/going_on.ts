import { EventStore, EventStoreError } from "../../client/mod.ts";
import { unixTransport } from "../../client/transport/unix_transport.ts";
import { pause } from "../../tests/support/eventually.ts";
import { AuditFailure } from "../report.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Observations } from "./observations.ts";
import { type Call, MARK, microseconds } from "./observed.ts";
import type { ChainEvents } from "./seats.ts";
import type { HistoryLines } from "./history_lines.ts";
import { tapped } from "./tapped_transport.ts";
import type { ChainServer } from "./servers.ts";

/** The time limit for writes to resume after a failover, in seconds. Servers wait up to 10 s for each other. */
export const GO_ON_SECONDS = 30;

/**
 * The same limit when the old primary keeps connections open and sends nothing. A server gives up on these after 15 s.
 */
export const SILENT_SECONDS = 40;

const ANSWER_SECONDS = 3;

/** The number of the probing client in the history lines. */
const PROBING = 1000;

let probes = 0;

/**
 * Writes until each server has accepted a write. In an edition with one active server, that one is enough.
 * @returns after how many milliseconds
 * @throws AuditFailure when that takes too long
 */
export async function untilGoesOn(
  edition: EditionName,
  servers: readonly ChainServer[],
  observations: Observations,
  lines: HistoryLines | undefined,
  seconds: number,
): Promise<number> {
  const begun = performance.now();
  const groups = edition === "A" ? servers.map((server) => [server]) : [servers];
  await Promise.all(groups.map(async (group, i) => {
    let last = "";
    for (let at = 0;; at++) {
      const failure = await probe(edition, group[at % group.length]!, observations, lines);
      if (failure === undefined) return;
      last = failure;
      if (performance.now() - begun > seconds * 1000) {
        throw new AuditFailure(`${seconds} s after the failover`, [
          `server ${i} does not write: ${last}`,
        ]);
      }
      await pause(50);
    }
  }));
  return performance.now() - begun;
}

/** @returns the error; undefined when the write is acknowledged */
async function probe(
  edition: EditionName,
  { running }: ChainServer,
  observations: Observations,
  lines: HistoryLines | undefined,
): Promise<string | undefined> {
  if (running === undefined) return "it has ended, and starts again";
  if (running.address.transport !== "unix") throw new Error("servers of the chain listen on sockets");
  const tap = { client: PROBING, observations: () => observations, lines, call: undefined };
  const store = new EventStore<ChainEvents>({
    edition,
    transport: tapped(unixTransport(running.address.path), tap),
    answerSeconds: ANSWER_SECONDS,
    retrySeconds: 0,
  });
  const label = `probe${++probes}`;
  const call: Call = {
    label,
    operation: edition === "A" ? "append" : "transact",
    events: 1,
    begun: microseconds(),
    ended: Infinity,
    writes: 0,
    storeIds: new Set(),
    outcome: { kind: "unknown" },
  };
  const event = { type: "Noted" as const, metadata: { [MARK]: `${label}/0` }, payload: { n: 0 } };
  observations.calls.push(call);
  try {
    if (edition === "A") {
      const { events, position } = await store.append(event);
      call.outcome = { kind: "done", storeId: position?.storeId, events };
    } else {
      await store.transaction((tx) => tx.append(event), { attempts: 1 });
      call.outcome = { kind: "done", storeId: undefined, events: undefined };
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof EventStoreError)) throw error;
    const { name, message, code, outcomeUnknown } = error;
    if (!outcomeUnknown) call.outcome = { kind: "failed", name, message, isOfStore: true };
    return `${code}: ${message}`;
  } finally {
    call.ended = microseconds();
  }
}
