import { join } from "node:path";
import { pause } from "../../tests/support/eventually.ts";
import type { ServerProcess } from "../../tests/support/server_process.ts";
import type { HistoryRecorder } from "../history/record.ts";
import { killAt, TIMEOUT_MILLISECONDS, untilDone } from "../server/kill.ts";
import { AttachedStrace, straceOfFiles } from "../server/strace.ts";
import type { Random } from "../workload/random.ts";

/** A step of a request to forget at which a server is killed. */
export interface KillStep {
  readonly name: string;
  /** The n-th of these system calls on the file gets the fault. Without a call, a request to forget is under way. */
  readonly at?: {
    readonly call: string;
    readonly file: string;
    readonly times: number;
    readonly fault: string;
  };
}

const KILL = "signal=KILL";

/** Holds the server for 300 ms, longer than it takes to notice the empty WAL. */
const DELAY = "delay_exit=300000";

/** In the order in which a server does them. */
export const KILL_STEPS: readonly KillStep[] = [
  // Before its turn, or anywhere after it.
  { name: "request" },
  { name: "transaction", at: { call: "pwrite64", file: "events.db-wal", times: 80, fault: KILL } },
  { name: "commit", at: { call: "fsync", file: "events.db-wal", times: 20, fault: KILL } },
  // The transaction is committed, and the WAL is moved into the database file.
  { name: "checkpoint", at: { call: "pwrite64", file: "events.db", times: 40, fault: KILL } },
  { name: "checkpointSync", at: { call: "fsync", file: "events.db", times: 5, fault: KILL } },
  { name: "emptying", at: { call: "ftruncate", file: "events.db-wal", times: 5, fault: KILL } },
  // The WAL is empty, and the server is held before its answer.
  { name: "answer", at: { call: "ftruncate", file: "events.db-wal", times: 1, fault: DELAY } },
];

/** Where a server is killed, and how. */
export interface Target {
  readonly server: ServerProcess;
  readonly recorder: HistoryRecorder;
  /** The file for the trace. */
  readonly output: string;
}

/** Kills a server at a step. @param act begins to act on the server once it is traced */
export async function killAtStep(
  { at }: KillStep,
  { server, recorder, output }: Target,
  random: Random,
  act: () => void,
): Promise<void> {
  if (at === undefined) {
    act();
    await killAt(server, untilForgetting(server, recorder, random));
    return;
  }
  const { call, file, times, fault } = at;
  const path = join(server.dataDir, file);
  const injection = `${call}:${fault}:when=${1 + random.below(times)}`;
  const strace = await straceOfFiles([path], output, call, injection);
  const traced = await AttachedStrace.to(server.pid, strace);
  act();
  await killAt(server, fault === DELAY ? untilEmptied(server, path) : pause(TIMEOUT_MILLISECONDS));
  await traced.detach();
}

/** Resolves a moment after a request to forget was sent. */
async function untilForgetting(
  server: ServerProcess,
  recorder: HistoryRecorder,
  random: Random,
): Promise<void> {
  await untilDone(server, recorder, recorder.done + random.below(30));
  const isUnderWay = (): boolean => {
    const last = recorder.entries.at(-1);
    return last !== undefined && "intent" in last && last.intent.act.kind === "forget";
  };
  const endsAt = performance.now() + TIMEOUT_MILLISECONDS;
  while (server.isRunning && !isUnderWay() && performance.now() < endsAt) await pause(0);
  await pause(random.below(4));
}

/** Resolves when the WAL was emptied. */
async function untilEmptied(server: ServerProcess, path: string): Promise<void> {
  const endsAt = performance.now() + TIMEOUT_MILLISECONDS;
  let before = 0;
  while (server.isRunning && performance.now() < endsAt) {
    const { size } = Deno.statSync(path);
    if (size === 0 && before > 0) return;
    before = size;
    await pause(1);
  }
}
