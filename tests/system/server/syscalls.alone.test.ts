import assert from "node:assert/strict";
import { join } from "node:path";
import { AttachedStrace } from "../../../audit/server/strace.ts";
import { fillStore } from "../../../bench/fill_store.ts";
import { inDirectory } from "../../support/directory.ts";
import { wanted } from "../../costs/counted_server.ts";
import { READERS, type RowName, rows, ROWS_OF } from "../../costs/rows.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { type DebianProgram, debianProgram } from "../support/debian_program.ts";
import { needingTest } from "../../support/needing_test.ts";
import { runCommand } from "../../support/run_command.ts";

/*
 * The number of system calls that a request takes, over all threads of the real server, counted by strace.
 */

/**
 * The bounds, per request. For a transaction of edition B or C they cover all of its requests together.
 *
 * When this fails, the message lists the calls; EVENTSTORE_COSTS=print prints those of all rows. Raise a bound only
 * for what is worth it, and say so in the commit. After a change that saves calls, lower the bound to the new count
 * and three in a hundred more. The machine determines how often a thread finds nothing to do, and how many readable
 * sockets one poll reports.
 */
const BOUNDS: Readonly<Record<RowName, number>> = {
  smallReader: 18.5,
  // Which reads share a batch differs from run to run: up to 13.3 was seen without any change.
  readersTogether: 13.7,
  scan: 1370,
  oneWriter: 28.2,
  writersTogether: 4.4,
  // On a busy machine its body comes in more pieces: up to 82 calls were seen.
  bulkWriter: 86,
  transaction: 49.5,
  ticket: 41.5,
};

/**
 * The calls that the runtime makes for itself: its locks, its memory, its clocks, its signals. They vary from run to
 * run.
 */
const OF_THE_RUNTIME =
  /^(futex|madvise|mmap|munmap|mprotect|mremap|brk|sched_\w+|getrusage|clock_\w+|restart_syscall|rt_sig\w+|membarrier|gettid|getpid|tgkill|exit|clone3?|rseq|set_robust_list|sigaltstack|prctl|set_mempolicy)$/;

/** The tries of each row. The machine can only add calls, so the lowest count is the true one. */
const TRIES = 3;

/** The tries of a row that is over its bound so far: on a busy machine, threads sleep and are woken more often. */
const TRIES_MAX = 12;

interface Calls {
  readonly perRequest: number;
  /** Every kind of call, for the message of a failure. */
  readonly text: string;
}

/** The calls of one try, counted while the requests are sent. */
async function callsOf(
  strace: DebianProgram,
  server: ServerProcess,
  send: () => Promise<number>,
): Promise<Calls> {
  const summary = join(server.directory, "strace");
  const options = ["--follow-forks", "--summary-only", `--output=${summary}`];
  const attached = await AttachedStrace.to(server.pid, { ...strace, options });
  const requests = await send();
  await attached.detach();
  return callsIn(Deno.readTextFileSync(summary), requests);
}

/** Reads lines such as " 12.34    0.001234          12       100         3 read". */
function callsIn(summary: string, requests: number): Calls {
  const calls = [...summary.matchAll(/^ *[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$/gm)]
    .map(([, count, name]) => [name!, Number(count)] as const)
    .filter(([name]) => name !== "total" && !OF_THE_RUNTIME.test(name));
  const total = calls.reduce((sum, [, count]) => sum + count, 0);
  const text = calls.map(([name, count]) => `${name} ${(count / requests).toFixed(2)}`).join(", ");
  return { perRequest: total / requests, text };
}

function overBounds(strace: DebianProgram, edition: keyof typeof ROWS_OF): Promise<string[]> {
  const { names, storedEvents } = ROWS_OF[edition];
  return inDirectory(async (directory) => {
    if (storedEvents > 0) fillStore(join(directory, "data"), storedEvents);
    await using server = await startServer({
      env: { SERVICE_EDITION: edition, ...READERS },
      directory,
      listenOnly: true,
    });
    const over: string[] = [];
    for (const name of names) {
      using open = new DisposableStack();
      const send = await rows[name](server, open);
      await send();
      let least = await callsOf(strace, server, send);
      for (let tries = 1; tries < (least.perRequest > BOUNDS[name] ? TRIES_MAX : TRIES); tries++) {
        const calls = await callsOf(strace, server, send);
        if (calls.perRequest < least.perRequest) least = calls;
      }
      if (wanted() === "print") Deno.stderr.writeSync(new TextEncoder().encode(`${name}: ${least.text}\n`));
      assert.ok(least.perRequest > 2, `${name}: the calls were not counted`);
      if (least.perRequest > BOUNDS[name]) {
        over.push(
          `${name}: ${least.perRequest.toFixed(2)} calls a request, not ${BOUNDS[name]}: ${least.text}`,
        );
      }
    }
    return over;
  });
}

/** The reason why strace cannot attach, if there is one. Only root may look into every process. */
async function whyNotAttached({ path, environment }: DebianProgram): Promise<string | undefined> {
  const sleeping = new Deno.Command("sleep", { args: ["1"], stdin: "null" }).spawn();
  const command = [path, "--summary-only", "--attach", String(sleeping.pid)];
  const { code, stderr } = await runCommand(command, { env: environment });
  await sleeping.status;
  return code === 0 ? undefined : stderr.trim();
}

const strace = await debianProgram("strace").catch((error: Error) => error);
const missing = strace instanceof Error ? strace.message : await whyNotAttached(strace);
const excused = Deno.build.os !== "linux" || Deno.uid() !== 0;
needingTest("requests take no more system calls than their bounds", { missing, excused }, async () => {
  const program = strace as DebianProgram;
  assert.deepEqual([
    ...await overBounds(program, "A"),
    ...await overBounds(program, "B"),
    ...await overBounds(program, "C"),
  ], []);
});
