import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { SharedAnswers } from "../../src/workers/shared_answers.ts";
import { SharedCalls } from "../../src/workers/shared_calls.ts";
import { RemoteWorker } from "../../src/workers/remote_worker.ts";
import type { Echo } from "./echo_worker.ts";
import { DEADLY, POISON, TEXT_CALLS } from "./text_codec.ts";

async function withEcho(
  run: (echo: RemoteWorker<typeof Echo>["object"], worker: RemoteWorker<typeof Echo>) => Promise<void>,
): Promise<void> {
  const worker = new RemoteWorker<typeof Echo>(
    new URL("./echo_worker.ts", import.meta.url),
    "echo",
    TEXT_CALLS,
  );
  try {
    await worker.open();
    await run(worker.object, worker);
  } finally {
    worker.terminate();
  }
}

/** The work of a server besides performing calls: none. */
const NOTHING_ELSE = { together: (run: () => void) => run(), send: () => {}, afterAnswer: () => {} };

Deno.test("texts come through shared memory unchanged, in quick succession and after an idle time", async () => {
  await withEcho(async (echo) => {
    for (
      const text of ["", "a", "na\u00efve", "\u65e5\u672c\u8a9e \u{1f600}", "\u0000\u00ff", "x".repeat(900)]
    ) {
      assert.equal(await echo.echo(text), text);
    }
    for (let i = 0; i < 2000; i++) assert.equal(await echo.echo(`text ${i}`), `text ${i}`);
    await delay(60);
    assert.equal(await echo.echo("after a rest"), "after a rest");
  });
});

Deno.test("an argument or a value that is too long for the memory comes as a message", async () => {
  await withEcho(async (echo) => {
    for (let i = 0; i < 20; i++) {
      assert.equal(await echo.echo("\u00e9".repeat(600)), "\u00e9".repeat(600));
      assert.equal(await echo.repeat("again"), "again".repeat(1000));
      assert.equal(await echo.echo("short"), "short");
    }
  });
});

Deno.test("calls with and without a codec may follow each other in any order", async () => {
  await withEcho(async (echo) => {
    for (let i = 1; i <= 100; i++) {
      assert.equal(await echo.echo(`${i}`), `${i}`);
      // The opening, and two for each round but the last.
      assert.equal((await echo.counts()).answers, 2 * i);
    }
  });
});

Deno.test("an error that a method throws reaches its caller alone", async () => {
  await withEcho(async (echo) => {
    for (let i = 0; i < 20; i++) {
      await assert.rejects(echo.fail("out of range"), { name: "RangeError", message: "out of range" });
      assert.equal(await echo.echo("next"), "next");
    }
  });
});

Deno.test("an argument that cannot be read fails its call alone", async () => {
  await withEcho(async (echo) => {
    await assert.rejects(echo.echo(POISON), /cannot be read/);
    assert.equal(await echo.echo("next"), "next");
  });
});

Deno.test("a call that comes before the worker has noticed the message before it is performed once", async () => {
  // A wait for an answer does not keep the process alive.
  const alive = setInterval(() => {}, 1000);
  const memory = new SharedArrayBuffer(1024);
  let performed = 0;
  const perform = (_: string, args: () => readonly unknown[]) => (performed++, { value: args()[0] });
  const caller = new SharedCalls(memory, TEXT_CALLS.codecs);
  const server = new SharedAnswers(memory, TEXT_CALLS.codecs, { perform, ...NOTHING_ELSE });
  caller.callByMessage();
  const answered = caller.call(1, "echo", ["text"])!;
  const serving = server.serve();
  assert.deepEqual(await Promise.race([answered, serving]), { value: "text" });
  await delay(50);
  assert.equal(performed, 1);
  clearInterval(alive);
});

Deno.test("timers of the worker go off however fast calls follow each other", async () => {
  await withEcho(async (echo) => {
    const end = performance.now() + 300;
    while (performance.now() < end) await echo.echo("busy");
    const { ticks } = await echo.counts();
    assert.ok(ticks >= 3, `${ticks} ticks in 300 ms`);
  });
});

Deno.test("a second call in parallel with a running one is rejected without disturbing it", async () => {
  await withEcho(async (echo) => {
    const first = echo.echo("first");
    await assert.rejects(echo.echo("second"), /as many calls as it takes/);
    assert.equal(await first, "first");
  });
});

Deno.test("when the worker dies in a call, the call fails, and so does every later one", async () => {
  // A wait for an answer does not keep the process alive. A server always has other things to do.
  const alive = setInterval(() => {}, 1000);
  await withEcho(async (echo, worker) => {
    const died = Promise.withResolvers<string>();
    worker.onDeath = died.resolve;
    assert.equal(await echo.echo(DEADLY), DEADLY);
    await assert.rejects(echo.echo("in the meantime"), /the echo worker died/);
    assert.match(await died.promise, /the echo worker died/);
    await assert.rejects(echo.echo("later"), /the echo worker died/);
  });
  clearInterval(alive);
});

Deno.test("a worker that waits for calls can be terminated, between calls and when idle", async () => {
  for (const milliseconds of [0, 60]) {
    await withEcho(async (echo) => {
      await echo.echo("last");
      await delay(milliseconds);
    });
  }
});

/** Sends a late wake-up. One side sends it a moment after it has counted up, when the other has long seen that. */
function notifyLate(memory: SharedArrayBuffer): void {
  const words = new Int32Array(memory);
  for (const position of [0, 1]) Atomics.notify(words, position);
}

Deno.test("a late wake-up is not taken for the answer to the next call", async () => {
  const memory = new SharedArrayBuffer(1024);
  let answered = false;
  new SharedCalls(memory, TEXT_CALLS.codecs).call(1, "echo", ["text"])!.then(() => answered = true);
  for (let i = 0; i < 5; i++) {
    notifyLate(memory);
    await delay(5);
  }
  assert.ok(!answered);
});

Deno.test("a late wake-up is not taken for another call, neither by a worker that blocks nor by an idle one", async () => {
  const memory = new SharedArrayBuffer(1024);
  const worker = new Worker(new URL("./echo_worker.ts", import.meta.url), { type: "module" });
  try {
    const opened = new Promise((resolve) => worker.onmessage = resolve);
    worker.postMessage({ id: 0, method: "open", args: [], memory });
    await opened;
    const calls = new SharedCalls(memory, TEXT_CALLS.codecs);
    const answers = (): number => Atomics.load(new Int32Array(memory), 1);
    for (const rest of [0, 60]) {
      assert.deepEqual(await calls.call(1, "echo", ["text"]), { value: "text" });
      const before = answers();
      await delay(rest);
      for (let i = 0; i < 5; i++) {
        notifyLate(memory);
        await delay(1);
      }
      assert.equal(answers(), before);
    }
  } finally {
    worker.terminate();
  }
});
