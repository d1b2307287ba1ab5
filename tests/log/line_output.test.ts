import assert from "node:assert/strict";
import { LineOutput } from "../../src/log/line_output.ts";
import { pause } from "../support/eventually.ts";

const decoder = new TextDecoder();

/** An output that accepts and stores everything, and counts the pieces. */
function collecting(): { output: LineOutput; text: () => string; pieces: () => number } {
  let text = "";
  let pieces = 0;
  const output = new LineOutput("program", (bytes) => {
    pieces++;
    text += decoder.decode(bytes);
    return Promise.resolve(bytes.length);
  });
  return { output, text: () => text, pieces: () => pieces };
}

Deno.test("each line has the program's name in front, and lines of one moment go out in one piece, in order", async () => {
  const { output, text, pieces } = collecting();
  for (let i = 0; i < 100; i++) output.line(`line ${i}`);
  assert.equal(text(), "", "nothing is written while the request is still being answered");
  await output.drained(1000);
  assert.equal(text(), Array.from({ length: 100 }, (_, i) => `program: line ${i}\n`).join(""));
  assert.equal(pieces(), 1);
  output.line("later");
  await output.drained(1000);
  assert.ok(text().endsWith("program: line 99\nprogram: later\n"));
});

Deno.test("an output that takes a few bytes at a time gets them all, whole characters or not", async () => {
  const taken: number[] = [];
  const output = new LineOutput("p", (bytes) => {
    const count = Math.min(bytes.length, 3);
    taken.push(...bytes.subarray(0, count));
    return Promise.resolve(count);
  });
  output.line("caf\u00e9 \ud83d\ude00");
  await output.drained(1000);
  assert.equal(decoder.decode(new Uint8Array(taken)), "p: caf\u00e9 \ud83d\ude00\n");
});

Deno.test("an output that stalls is never waited for: memory is bounded, lines are dropped and counted", async () => {
  let text = "";
  let resume = (): void => {};
  const stalled = new Promise<void>((resolve) => resume = resolve);
  let largest = 0;
  const output = new LineOutput("p", async (bytes) => {
    await stalled;
    largest = Math.max(largest, bytes.length);
    text += decoder.decode(bytes);
    return bytes.length;
  });
  output.line("first");
  await pause(5);
  const line = "x".repeat(1000);
  for (let i = 0; i < 5000; i++) output.line(line);
  await output.drained(20);
  assert.equal(text, "");
  resume();
  await output.drained(1000);
  const lines = text.split("\n").filter((it) => it === `p: ${line}`).length;
  const dropped = Number(/^p: \[WARNING\] (\d+) lines were dropped/m.exec(text)?.[1]);
  assert.equal(lines + dropped, 5000);
  assert.ok(lines > 500 && dropped > 3000, `${lines} lines, ${dropped} dropped`);
  assert.ok(largest < 1.2 * 1024 * 1024);
  output.line("afterwards");
  await output.drained(1000);
  assert.ok(text.endsWith("p: afterwards\n"));
  assert.equal(text.match(/were dropped/g)?.length, 1);
});

Deno.test("an output that throws, now or later, loses those lines and nothing else", async () => {
  let text = "";
  let failure: "none" | "throws" | "rejects" = "rejects";
  const output = new LineOutput("p", (bytes) => {
    if (failure === "throws") throw new Error("thrown");
    if (failure === "rejects") return Promise.reject(new Deno.errors.BrokenPipe("closed"));
    text += decoder.decode(bytes);
    return Promise.resolve(bytes.length);
  });
  output.line("lost");
  await output.drained(1000);
  failure = "throws";
  output.line("lost too");
  await output.drained(1000);
  failure = "none";
  output.line("kept");
  await output.drained(1000);
  assert.equal(text, "p: kept\n");
});

Deno.test("waiting for an output that stalls ends in time, and is over at once when nothing waits", async () => {
  const { output } = collecting();
  let started = performance.now();
  await output.drained(10_000);
  assert.ok(performance.now() - started < 1000);
  const stuck = new LineOutput("p", () => new Promise(() => {}));
  stuck.line("never out");
  started = performance.now();
  await stuck.drained(50);
  const milliseconds = performance.now() - started;
  assert.ok(milliseconds >= 45 && milliseconds < 1000, `${milliseconds} ms`);
});
