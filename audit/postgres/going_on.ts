import { withTimeout } from "../../src/async/with_timeout.ts";
import type { Client } from "../../tests/support/client.ts";
import { pause } from "../../tests/support/eventually.ts";
import { AuditFailure } from "../report.ts";
import { actOnce, type Choose } from "../workload/act_once.ts";
import type { EditionName } from "../../src/config/setting.ts";
import { ACT_TAG } from "../history/wire_event.ts";
import type { HistoryRecorder } from "../history/record.ts";

/** How long a client waits before it tries again, or tries another server. */
const PAUSE_MILLISECONDS = 20;

/** After this time, no real client would still wait. */
const GIVEN_UP_SECONDS = 90;

/** The type of the events that only show that a server serves. */
export const PROBED = "probed";

export interface Acting {
  readonly edition: EditionName;
  readonly recorder: HistoryRecorder;
}

/** Acts again and again, on another server while the first one does not serve, until it is stopped. */
export async function actOnServers(
  { edition, recorder }: Acting,
  clients: readonly Client[],
  name: string,
  choose: Choose,
  isStopped: () => boolean,
): Promise<void> {
  for (let at = 0; !isStopped();) {
    const ending = await actOnce(edition, clients[at % clients.length]!, name, recorder, choose);
    const isServed = ending !== undefined && ending.status !== 503;
    at = isServed ? 0 : at + 1;
    if (!isServed) await pause(PAUSE_MILLISECONDS);
  }
}

/**
 * Writes until one of the servers acknowledges a write.
 * @returns after how many milliseconds
 * @throws AuditFailure when that takes too long
 */
export async function untilServed(
  { edition, recorder }: Acting,
  clients: readonly Client[],
  name: string,
  where: string,
): Promise<number> {
  const started = performance.now();
  const answers: string[] = [];
  for (let at = 0;; at++) {
    const client = clients[at % clients.length]!;
    const ending = await within(
      actOnce(edition, client, name, recorder, (id) => smallWrite(name, id)),
      where,
    );
    const elapsed = performance.now() - started;
    if (ending?.fate === "done") return elapsed;
    answers.push(String(ending?.status ?? "no answer"));
    if (elapsed > GIVEN_UP_SECONDS * 1000) throw notServed(where, answers);
    await pause(PAUSE_MILLISECONDS);
  }
}

/** @throws AuditFailure when it takes too long */
export function within<T>(work: Promise<T>, where: string): Promise<T> {
  return withTimeout(work, GIVEN_UP_SECONDS * 1000, () => {
    throw notServed(where, ["no answer yet"]);
  });
}

function notServed(where: string, answers: readonly string[]): AuditFailure {
  return new AuditFailure(`${where}: not served within ${GIVEN_UP_SECONDS} s`, answers.slice(-5));
}

function smallWrite(client: string, id: number): ReturnType<Choose> {
  const metadata = { [ACT_TAG]: String(id) };
  const event = { type: PROBED, identifiers: { by: client }, metadata, payload: String(id) };
  return { kind: "write", events: [event], projections: [], condition: "none" };
}
