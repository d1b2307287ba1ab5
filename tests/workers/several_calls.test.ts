import assert from "node:assert/strict";
import type { Answer } from "../../src/workers/answer.ts";
import { RemoteWorker } from "../../src/workers/remote_worker.ts";
import { type CallServer, SharedAnswers } from "../../src/workers/shared_answers.ts";
import { CallCancelled, SharedCalls } from "../../src/workers/shared_calls.ts";
import { eventually } from "../support/eventually.ts";
import type { Echo } from "./echo_worker.ts";
import { DEADLY, FOUR, FOUR_CALLS } from "./text_codec.ts";

/** Both sides of a memory for four calls, in one thread, and the results of the calls. */
class BothSides {
  readonly #memory = new SharedArrayBuffer(FOUR_CALLS.memoryBytes);
  readonly calls = new SharedCalls(this.#memory, FOUR_CALLS.codecs, 4);
  readonly performed: string[] = [];
  readonly messages: [id: number, answer: Answer][] = [];
  runs = 0;
  /** Called before each call that is performed. */
  onPerform = (_text: string): void => {};
  together: CallServer["together"] = (run) => {
    this.runs++;
    run();
  };

  echo(id: number, text: string): Promise<{ readonly value: unknown } | undefined> | undefined {
    return this.calls.call(id, "echo", [text]);
  }

  serve(): void {
    const server = new SharedAnswers(this.#memory, FOUR_CALLS.codecs, {
      perform: (_, args) => {
        const [text] = args() as [string];
        this.onPerform(text);
        this.performed.push(text);
        return { value: text };
      },
      together: (run) => this.together(run),
      send: (id, answer) => this.messages.push([id, answer]),
      afterAnswer: () => {},
    }, 4);
    server.serve();
  }

  /** The number of calls that the worker has answered or passed. */
  get answered(): number {
    return Atomics.load(new Int32Array(this.#memory), 1);
  }
}

/** A wait for an answer does not keep the process alive. */
function test(name: string, run: () => Promise<void>): void {
  Deno.test(name, async () => {
    const alive = setInterval(() => {}, 1000);
    try {
      await run();
    } finally {
      clearInterval(alive);
    }
  });
}

test("calls that wait are performed together and in their order, each has its own answer", async () => {
  const both = new BothSides();
  const answers = ["a", "b", "c", "d"].map((text, i) => both.echo(i, text)!);
  assert.equal(both.echo(5, "e"), undefined, "there are four places");
  both.serve();
  assert.deepEqual(await Promise.all(answers), ["a", "b", "c", "d"].map((value) => ({ value })));
  assert.deepEqual(both.performed, ["a", "b", "c", "d"]);
  // One, if the machine has time for it.
  assert.ok(both.runs < 4, `${both.runs} runs`);
  assert.deepEqual(await both.echo(5, "e"), { value: "e" });
});

test("a call that comes while others run waits for the next run, which may see what has happened since", async () => {
  const both = new BothSides();
  let later: ReturnType<BothSides["echo"]>;
  both.onPerform = (text) => {
    if (text === "a") later = both.echo(1, "b");
  };
  const first = both.echo(0, "a");
  both.serve();
  assert.deepEqual(await first, { value: "a" });
  assert.deepEqual(await later, { value: "b" });
  assert.equal(both.runs, 2);
});

test("a run ends when it has taken long, and the next one continues", async () => {
  const both = new BothSides();
  both.onPerform = () => {
    for (const end = performance.now() + 3; performance.now() < end;);
  };
  const answers = ["a", "b", "c"].map((text, i) => both.echo(i, text)!);
  both.serve();
  await Promise.all(answers);
  assert.equal(both.runs, 3);
  assert.deepEqual(both.performed, ["a", "b", "c"]);
});

test("a run that fails fails its calls, and no others", async () => {
  const both = new BothSides();
  const together = both.together;
  both.together = (run) => {
    run();
    both.together = together;
    throw new RangeError("no run");
  };
  const answers = [both.echo(7, "a")!, both.echo(8, "b")!];
  both.serve();
  assert.deepEqual(await Promise.all(answers), [undefined, undefined]);
  const answer = { error: { name: "RangeError", message: "no run" } };
  assert.deepEqual(both.messages, [[7, answer], [8, answer]]);
  assert.deepEqual(await both.echo(9, "c"), { value: "c" });
});

test("calls that have not begun can be cancelled: they are not performed, and their slots are free again", async () => {
  const both = new BothSides();
  const gone = ["a", "b", "c", "d"].map((text, i) => both.echo(i, text)!);
  both.calls.cancel();
  for (const call of gone) await assert.rejects(call, CallCancelled);
  assert.equal(both.echo(4, "e"), undefined, "the worker has not passed them yet");
  both.serve();
  await eventually(() => assert.equal(both.answered, 4));
  for (const text of ["e", "f", "g", "h", "i"]) assert.deepEqual(await both.echo(5, text), { value: text });
  assert.deepEqual(both.performed, ["e", "f", "g", "h", "i"]);
});

test("a call that has begun cannot be cancelled, those behind it can", async () => {
  const both = new BothSides();
  both.onPerform = () => both.calls.cancel();
  const [begun, ...gone] = ["a", "b", "c"].map((text, i) => both.echo(i, text)!);
  for (const call of gone) call.catch(() => {});
  both.serve();
  assert.deepEqual(await begun, { value: "a" });
  for (const call of gone) await assert.rejects(call, CallCancelled);
  assert.deepEqual(await both.echo(3, "d"), { value: "d" });
  assert.deepEqual(both.performed, ["a", "d"]);
});

async function withEcho(run: (worker: RemoteWorker<typeof Echo>) => Promise<void>): Promise<void> {
  const module = new URL("./echo_worker.ts", import.meta.url);
  const worker = new RemoteWorker<typeof Echo>(module, FOUR, FOUR_CALLS);
  try {
    await worker.open();
    await run(worker);
  } finally {
    worker.terminate();
  }
}

test("short and long values, errors and messages may be on their way at once", async () => {
  await withEcho(async ({ object }) => {
    for (let i = 0; i < 200; i++) {
      const calls = [object.echo(`${i}`), object.repeat(`${i}`), object.fail(`${i}`), object.counts()];
      const [echo, repeat, fail, counts] = await Promise.allSettled(calls);
      assert.deepEqual(echo, { status: "fulfilled", value: `${i}` });
      assert.deepEqual(repeat, { status: "fulfilled", value: `${i}`.repeat(1000) });
      assert.equal(fail!.status, "rejected");
      assert.match(String((fail as PromiseRejectedResult).reason), new RegExp(`${i}$`));
      assert.equal(counts!.status, "fulfilled");
    }
  });
});

test("one call more than the worker takes is rejected without disturbing the others", async () => {
  await withEcho(async ({ object }) => {
    const calls = ["a", "b", "c", "d"].map((text) => object.echo(text));
    await assert.rejects(object.echo("e"), /as many calls as it takes/);
    assert.deepEqual(await Promise.all(calls), ["a", "b", "c", "d"]);
  });
});

test("when the worker dies, all calls that it has fail", async () => {
  await withEcho(async (worker) => {
    assert.equal(worker.isDead, false);
    const [deadly, ...others] = [DEADLY, "b", "c"].map((text) => worker.object.echo(text));
    for (const call of others) call.catch(() => {});
    await deadly!.catch(() => {});
    await eventually(() => assert.equal(worker.isDead, true));
    const results = await Promise.allSettled([...others, worker.object.echo("later")]);
    assert.equal(results.at(-1)!.status, "rejected");
    for (const result of results) {
      if (result.status === "rejected") assert.match(String(result.reason), /worker died/);
    }
  });
});
