import { join } from "node:path";
import { pause } from "../../tests/support/eventually.ts";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { actUntilGone } from "../workload/act_until_gone.ts";
import { debianProgram } from "../../tests/system/support/debian_program.ts";
import { AuditFailure } from "../report.ts";
import { straceCommand } from "../server/strace.ts";
import { randomAdministration, randomLoad } from "../workload/acts.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Random } from "../workload/random.ts";
import { faultsOfAnswers } from "../history/failed_answers.ts";
import { type Act, type Entry, HistoryRecorder } from "../history/record.ts";
import { type Traced, TRACED_CALLS, TraceReader } from "./trace.ts";

/** The operations of a server on its disk over several lives, and the requests of its clients. */
export interface Recording {
  readonly traced: readonly Traced[];
  readonly entries: readonly Entry[];
  /** The store ID of the first life. */
  readonly storeId: string;
}

const CLIENTS = 3;

/** When a server is idle for this long, it merges its index and empties its log. */
const REST_MILLISECONDS = 2600;

/**
 * Records three lives. The first creates the store, receives writes, is idle, is administered, and stops. The second is
 * killed under load. The third recovers the files and continues.
 */
export async function record(
  { edition, directory }: { readonly edition: EditionName; readonly directory: string },
  random: Random,
): Promise<Recording> {
  const dataDir = join(directory, "data");
  Deno.mkdirSync(dataDir, { mode: 0o700 });
  using recorder = new HistoryRecorder(join(directory, "witness.jsonl"), 0);
  const reader = new TraceReader(dataDir);
  const traced: Traced[] = [];
  let storeId = "";
  const live = async (use: (server: ServerProcess) => Promise<void>): Promise<void> => {
    const output = join(directory, "strace");
    const server = await startTraced(edition, directory, output);
    try {
      storeId ||= /, store ([0-9a-f-]+) /.exec(server.stdout)![1]!;
      await use(server);
    } finally {
      await server[Symbol.asyncDispose]();
    }
    await complete(output);
    traced.push(...reader.read(Deno.readTextFileSync(output)));
    Deno.removeSync(output);
  };
  const load = (server: ServerProcess, acts: number): Promise<void> =>
    act(server, edition, random, recorder, acts);
  await live(async (server) => {
    await load(server, 20);
    await pause(REST_MILLISECONDS);
    await administer(server, edition, random, recorder);
    await load(server, 10);
    await server.stop();
  });
  await live(async (server) => {
    await load(server, 15);
    await server.kill();
  });
  await live(async (server) => {
    await load(server, 10);
    await server.stop();
  });
  const faults = faultsOfAnswers(recorder.entries);
  if (faults.length > 0) throw new AuditFailure("while a run was recorded", faults);
  return { traced, entries: recorder.entries, storeId };
}

async function startTraced(edition: EditionName, directory: string, output: string): Promise<ServerProcess> {
  const { path, environment } = await debianProgram("strace");
  const options = [
    "--follow-forks",
    "--seccomp-bpf",
    "--decode-fds=path",
    "--string-limit=1000000",
    `--trace=${TRACED_CALLS}`,
    `--output=${output}`,
  ];
  return await startServer({
    directory,
    listen: "unix",
    listenOnly: true,
    env: { SERVICE_EDITION: edition, SERVICE_DEV_MODE: "true" },
    under: straceCommand({ path, environment, options }),
  });
}

/** Waits until the trace is complete: the tracer writes its last lines after the server has ended. */
async function complete(output: string): Promise<void> {
  for (let size = -1; size !== Deno.statSync(output).size;) {
    size = Deno.statSync(output).size;
    await pause(100);
  }
}

/** Several clients at the same time, each with this number of acts. */
async function act(
  server: ServerProcess,
  edition: EditionName,
  random: Random,
  recorder: HistoryRecorder,
  acts: number,
): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS }, (_, i) => {
    const name = `client ${i}`;
    const own = random.fork();
    let left = acts;
    const choose = (id: number): Act => randomLoad(own, name, id);
    return actUntilGone(edition, server.client(), name, recorder, choose, () => left-- <= 0);
  }));
}

/** One client alone uses every endpoint that changes the store, with one reset, and no pause at the end. */
async function administer(
  server: ServerProcess,
  edition: EditionName,
  random: Random,
  recorder: HistoryRecorder,
): Promise<void> {
  const own = random.fork();
  const script: readonly Act["kind"][] = edition === "A"
    ? ["write", "deleteProjections", "write", "reset", "write"]
    : [
      ...edition === "B" ? ["optimize"] as const : [],
      "pause",
      "write",
      "deleteProjections",
      "reset",
      "write",
      "resume",
      "write",
      "pause",
      "resume",
    ];
  for (const kind of script) {
    let isDone = false;
    const choose = (id: number): Act => {
      isDone = true;
      for (;;) {
        const act = kind === "reset" || kind === "pause" || kind === "resume" || kind === "optimize"
          ? { kind }
          : randomAdministration(own, edition, "client 0", id);
        if (act.kind === kind) return act;
      }
    };
    await actUntilGone(edition, server.client(), "client 0", recorder, choose, () => isDone);
  }
}
