import assert from "node:assert/strict";
import { Log, LOG_LEVELS, type LogLevel } from "../../src/log/log.ts";

function written(lowest: LogLevel, write: (log: Log) => void): string[] {
  const lines: string[] = [];
  write(new Log(lowest, { line: (text) => lines.push(text) }));
  return lines;
}

const answered = { method: "GET", path: "/health", status: 200, bytes: 33, milliseconds: 1.2345 };

Deno.test("a line holds level, method, path, status, size and time", () => {
  const lines = written("debug", (log) => {
    log.write("debug", answered);
    log.write("warning", { ...answered, method: "POST", status: 503, bytes: 0, milliseconds: 12_345.67 });
  });
  assert.deepEqual(lines, [
    "[DEBUG] GET /health 200 33B 1.2ms",
    "[WARNING] POST /health 503 0B 12345.7ms",
  ]);
});

for (const [i, lowest] of LOG_LEVELS.entries()) {
  Deno.test(`with logLevel ${lowest} only that level and higher ones are written`, () => {
    const lines = written(lowest, (log) => {
      for (const level of LOG_LEVELS) log.write(level, answered);
    });
    const expected = LOG_LEVELS.slice(i).map((level) => `[${level.toUpperCase()}] GET /health 200 33B 1.2ms`);
    assert.deepEqual(lines, expected);
  });
}

const paths: readonly [sent: string, shown: string][] = [
  ["/projections/a%2Fb/%2e%2e", "/projections/a%2Fb/%2e%2e"],
  ["/a b\tc", "/a%20b%09c"],
  ["/a\r\neventstore-server: [ERROR] forged", "/a%0D%0Aeventstore-server:%20[ERROR]%20forged"],
  ["/\u0000\u001b[31m\u007f\u009b", "/%00%1B[31m%7F%C2%9B"],
  ["/\u00e9\u2028\ud83d\ude00", "/%C3%A9%E2%80%A8%F0%9F%98%80"],
  ["/\ud800x", "/%EF%BF%BDx"],
];
for (const [sent, shown] of paths) {
  Deno.test(`the path ${JSON.stringify(sent)} stays one line without control characters`, () => {
    const [line] = written("debug", (log) => log.write("info", { ...answered, path: sent }));
    assert.equal(line, `[INFO] GET ${shown} 200 33B 1.2ms`);
  });
}

Deno.test("a method is shown as carefully as a path", () => {
  const [line] = written("debug", (log) => log.write("info", { ...answered, method: "G\nET" }));
  assert.equal(line, "[INFO] G%0AET /health 200 33B 1.2ms");
});

Deno.test("a line that belongs to no request is written at its level, like the others", () => {
  for (const [i, lowest] of LOG_LEVELS.entries()) {
    const lines = written(lowest, (log) => {
      for (const level of LOG_LEVELS) log.note(level, `about ${level}`);
    });
    assert.deepEqual(lines, LOG_LEVELS.slice(i).map((level) => `[${level.toUpperCase()}] about ${level}`));
  }
});

Deno.test("a reason is one line of limited length, whatever the level, and only where reasons are wanted", () => {
  const lines: string[] = [];
  const reasons: string[] = [];
  const output = { line: (text: string) => lines.push(text) };
  new Log("debug", output).rejected({ method: "GET", path: "/", status: 400 }, "not wanted");
  const log = new Log("error", output, { line: (text) => reasons.push(text) });
  log.rejected({ method: "POST", path: "/write", status: 400 }, "events[0]: type is missing");
  log.rejected({ method: "GET", path: "/a\nb c", status: 413 }, "x\r\nforged \u001b[31m \u00e9 \u2028");
  log.rejected({ method: "M".repeat(5000), path: `/${"x".repeat(50_000)}`, status: 500 }, "y".repeat(50_000));
  assert.deepEqual(reasons.slice(0, 2), [
    "POST /write 400: events[0]: type is missing",
    "GET /a%0Ab%20c 413: x%0D%0Aforged %1B[31m %C3%A9 %E2%80%A8",
  ]);
  assert.equal(reasons[2]?.length, 200 + 3 + 1 + 200 + 3 + " 500: ".length + 300 + 3);
  assert.deepEqual(lines, []);
});
