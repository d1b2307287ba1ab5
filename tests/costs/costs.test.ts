import assert from "node:assert/strict";
import { join } from "node:path";
import { fillStore } from "../../bench/fill_store.ts";
import { inDirectory } from "../support/directory.ts";
import { runDeno } from "../support/run_command.ts";
import { costOf, COUNTING, startCountedServer, wanted } from "./counted_server.ts";
import { type Counts, KINDS, REPORT } from "./counts.ts";
import { KNOWN_COSTS, PROMOTED_BYTES } from "./known_costs.ts";
import { READERS, type RowName, rows, ROWS_OF } from "./rows.ts";

/*
 * Bounds on the cost of a request, as counts: they are the same on a slow machine and on a fast one. See the table.
 */

/**
 * The bounds, per request. For a transaction of edition B or C they cover all of its requests together.
 *
 * When this fails, something costs more than before: EVENTSTORE_COSTS=trace deno test -A tests/costs/ also prints
 * each statement, message and buffer with a stack. Raise a bound only for what is worth it, and say so in the commit.
 * After a change that makes something cheaper, lower the bounds: with EVENTSTORE_COSTS=print the test prints the
 * current costs. Leave a small margin for rare work, such as the end of a time block, but too little for one more of
 * anything.
 */
const BOUNDS: Readonly<Record<RowName, Counts>> = {
  smallReader: { statements: 5.4, messages: 2.1, buffers: 1.1, bufferKibibytes: 11.5, promotedBytes: 1200 },
  // A sleeping reader is woken up, and answers at least every 2 ms. On a slow machine it answers each read alone.
  readersTogether: {
    statements: 3.8,
    messages: 2.1,
    buffers: 1.1,
    bufferKibibytes: 11.5,
    promotedBytes: 1200,
  },
  // A chunk also ends when its time is over. The request goes through shared memory, but the answer is too long for
  // that. So there are three messages: a notification of the call, a notification of the answer, and the answer.
  scan: { statements: 155, messages: 79, buffers: 28, bufferKibibytes: 5750, promotedBytes: 14500 },
  // The writer asks for the length of the WAL once in 10 ms: on a slow machine, with each write.
  oneWriter: { statements: 6.1, messages: 2.1, buffers: 0.1, bufferKibibytes: 1, promotedBytes: 1700 },
  writersTogether: {
    statements: 1.4,
    messages: 0.07,
    buffers: 0.07,
    bufferKibibytes: 0.5,
    promotedBytes: 2200,
  },
  bulkWriter: { statements: 22, messages: 2.1, buffers: 6.3, bufferKibibytes: 97, promotedBytes: 95000 },
  transaction: { statements: 10.6, messages: 4.2, buffers: 0.1, bufferKibibytes: 1, promotedBytes: 6800 },
  ticket: { statements: 6.2, messages: 6.3, buffers: 0.1, bufferKibibytes: 1, promotedBytes: 6000 },
};

/** Measures some rows on one server. @returns the costs that are over their bounds */
function overBounds(edition: keyof typeof ROWS_OF): Promise<string[]> {
  const { names, storedEvents } = ROWS_OF[edition];
  return inDirectory(async (directory) => {
    if (storedEvents > 0) fillStore(join(directory, "data"), storedEvents);
    await using server = await startCountedServer({
      env: { SERVICE_EDITION: edition, ...READERS },
      directory,
    });
    const over: string[] = [];
    for (const name of names) {
      using open = new DisposableStack();
      const cost = await costOf(server, await rows[name](server, open), BOUNDS[name]);
      if (wanted() !== undefined) print(`${name}: ${JSON.stringify(cost)}\n`);
      // A count that stays at 0 checks nothing.
      assert.ok(cost.statements > 0 && cost.messages > 0, `${name}: nothing was counted`);
      for (const kind of KINDS) {
        const [is, bound] = [cost[kind], BOUNDS[name][kind]];
        if (is > bound) over.push(`${name}: ${is.toFixed(2)} ${kind} per request, the bound is ${bound}`);
      }
    }
    if (wanted() === "trace") print(server.stderr);
    return over;
  });
}

function print(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(text));
}

/** Executables cannot load the module that counts before their own. */
const ignore = Deno.env.has("EVENTSTORE_DIST");

Deno.test({
  name: "requests of edition A cost no more than their bounds",
  ignore,
  fn: async () => assert.deepEqual(await overBounds("A"), []),
});

Deno.test({
  name: "a transaction of edition B costs no more than its bounds",
  ignore,
  fn: async () => assert.deepEqual(await overBounds("B"), []),
});

Deno.test({
  name: "a transaction of edition C costs no more than its bounds",
  ignore,
  fn: async () => assert.deepEqual(await overBounds("C"), []),
});

Deno.test("every statement, message and large buffer of every thread counts once", async () => {
  const program = new URL("./known_costs.ts", import.meta.url);
  const flags = ["--quiet", "--no-prompt", "--allow-all", "--preload", COUNTING.href];
  const { stdout, stderr } = await runDeno(["run", ...flags, program.href]);
  assert.equal(stderr, "");
  const [before, after] = stdout.trim().split("\n").map((line) => JSON.parse(line.slice(REPORT.length)));
  const counted = KINDS.map((kind) => [kind, after[kind] - before[kind]]);
  const { promotedBytes, ...others } = Object.fromEntries(counted) as Counts;
  assert.deepEqual(others, KNOWN_COSTS);
  assert.ok(
    promotedBytes > PROMOTED_BYTES && promotedBytes < 1.5 * PROMOTED_BYTES,
    `${promotedBytes} promoted`,
  );
});
