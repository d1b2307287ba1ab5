import assert from "node:assert/strict";
import type { EventLine } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { type ServerProcess, sharedServer, startServer } from "../support/server_process.ts";
import { type Running, Shell } from "./shell_address.ts";

const server = sharedServer();

function sequencesOf({ stdout }: Running): number[] {
  return stdout.split("\n").slice(0, -1).map((line) => (JSON.parse(line) as EventLine).sequence);
}

async function append(server: ServerProcess, count = 1): Promise<void> {
  const events = Array.from({ length: count }, () => ({ type: "t", identifiers: { a: "1" }, payload: "" }));
  await server.client().append(...events);
}

/** The numbers from `first` to `last`. */
const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

for (const listen of ["unix", "tcp"] as const) {
  Deno.test(`over ${listen}, --follow continues over restarts of the server until a signal, and loses nothing`, async () => {
    await using server = await startServer({ listen, listenOnly: true });
    await append(server, 3);
    const shell = new Shell(server.address);
    const all = shell.start(["read", "--follow", "--json", "--tag", "a=1"]);
    const late = shell.start(["read", "--follow", "--json", "--after", "4"]);
    await all.lines(3);
    await append(server, 2);
    await all.lines(5);
    await late.lines(1);
    await server.restart();
    await append(server);
    await server.kill();
    await server.start();
    await append(server);
    await Promise.all([all.lines(7), late.lines(3)]);
    assert.deepEqual([sequencesOf(all), sequencesOf(late)], [upTo(7), upTo(7, 5)]);
    all.child.kill("SIGTERM");
    late.child.kill("SIGINT");
    for (const { code, stderr } of await Promise.all([all.ended(), late.ended()])) {
      assert.deepEqual([code, stderr], [0, ""]);
    }
  });
}

Deno.test("--follow ends by itself after --limit events, and with 3 when the store is reset", async () => {
  await append(server, 2);
  const shell = new Shell(server.address);
  const three = shell.start(["read", "--follow", "--json", "--limit", "3"]);
  const endless = shell.start(["read", "--follow", "--json"]);
  await Promise.all([three.lines(2), endless.lines(2)]);
  const head = (await shell.prints(["head", "--json"])).trim();
  await append(server, 2);
  assert.deepEqual([(await three.ended()).code, sequencesOf(three)], [0, upTo(3)]);
  await endless.lines(4);
  await server.client().reset();
  const { code, stderr } = await endless.ended();
  assert.equal(code, 3, stderr);
  assert.match(stderr, /the position is of store \S+, this is store \S+\n$/);
  await shell.fails(["read", "--after", head], 3, /the position is of store/);
  await shell.fails(["read", "--follow", "--after", head], 3, /the position is of store/);
});

Deno.test("a signal ends --follow at once, also while the server is away", async () => {
  await using server = await startServer();
  await append(server);
  const shell = new Shell(server.address);
  const running = shell.start(["read", "--follow"]);
  await running.lines(2);
  await server.stop();
  running.child.kill("SIGINT");
  const { code, stdout, stderr } = await running.ended();
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^SEQUENCE .*\n1 .*\n$/);
});

Deno.test("a signal ends --follow also when the reader of its output has stopped reading", async () => {
  // With escapes this is one line of 360 kB, more than the pipe can hold.
  await server.client().append({ type: "t", payload: "\x1b".repeat(60_000) });
  const shell = new Shell(server.address);
  const [program, ...args] = shell.command(["read", "--follow"]);
  const child = new Deno.Command(program, {
    args,
    env: shell.environment,
    clearEnv: true,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  child.kill("SIGTERM");
  assert.equal((await child.status).code, 0);
  await reader.cancel();
});

Deno.test("--follow ends quietly when its reader has gone", async () => {
  await append(server);
  const shell = new Shell(server.address);
  const child = new Deno.Command("bash", {
    args: [
      "-c",
      'set -o pipefail; "$@" | head -n 2',
      "bash",
      ...shell.command(["read", "--follow", "--json"]),
    ],
    env: shell.environment,
    clearEnv: true,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let over = false;
  const output = child.output().finally(() => over = true);
  // It notices at the first event after its reader has ended.
  await eventually(async () => {
    await append(server);
    assert.ok(over);
  }, 30);
  const { code, stdout, stderr } = await output;
  assert.deepEqual([code, new TextDecoder().decode(stderr)], [0, ""]);
  assert.equal(new TextDecoder().decode(stdout).split("\n").length, 3);
});
