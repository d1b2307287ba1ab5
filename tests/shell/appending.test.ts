import assert from "node:assert/strict";
import { join } from "node:path";
import { inDirectory } from "../support/directory.ts";
import { runCommand } from "../support/run_command.ts";
import { type ServerProcess, sharedServer, startServer } from "../support/server_process.ts";
import { Shell } from "./shell_address.ts";

const server = sharedServer();

const COURSE = ["append", "--type", "CourseDefined", "--tag", "course=c1", "--payload", '{"capacity":30}'];

const RACERS = 20;

async function payloads(server: ServerProcess): Promise<string[]> {
  return (await server.client().allEvents()).map(({ payload }) => payload);
}

Deno.test("flags describe an event, and its sequence is printed", async () => {
  const shell = new Shell(server.address);
  assert.equal(
    await shell.prints([
      ...COURSE,
      "--tag",
      "room=1",
      "--tag",
      "room=2",
      "--meta",
      "by=a=b",
      "--tag",
      "empty=",
    ]),
    "1\n",
  );
  assert.equal(await shell.prints(["append", "--type", "Noted", "--text", ""]), "2\n");
  const [first, second] = await server.client().allEvents();
  assert.deepEqual(first, {
    sequence: 1,
    time: first!.time,
    type: "CourseDefined",
    identifiers: { course: "c1", empty: "", room: ["1", "2"] },
    metadata: { by: "a=b" },
    payload: '{"capacity":30}',
  });
  const line = JSON.parse(await shell.prints([...COURSE, "--json"]));
  const third = (await server.client().allEvents())[2]!;
  assert.deepEqual(line, { storeId: await server.client().storeId(), sequence: 3, time: third.time });
  assert.ok(second!.time <= third.time);
});

Deno.test("what is behind --if-none must not be there, or nothing is written and the code is 3", async () => {
  const shell = new Shell(server.address);
  const once = [
    ...COURSE,
    "--if-none",
    "--type",
    "CourseDefined",
    "--type",
    "CourseRemoved",
    "--tag",
    "course=c1",
  ];
  assert.equal(await shell.prints(once), "1\n");
  await shell.fails(once, 3, /not written: event 1 matches what --if-none asks for/);
  assert.equal(await shell.prints([...once, "--after", "1"]), "2\n", "nothing has come after it");
  await shell.fails([...once, "--after", "1"], 3, /event 2 matches/);
  const head = (await shell.prints(["head", "--json"])).trim();
  assert.equal(await shell.prints([...COURSE, "--if-none", "--after", head]), "3\n");
  await shell.fails([...COURSE, "--if-none", "--after", head], 3, /event 3 matches/);
  await shell.fails([...COURSE, "--if-none", "--query", '"*"'], 3, /event 1 matches/);
  const two = [...COURSE, "--if-none", "--tag", "course=c2", "--if-none", "--meta", "by=me"];
  assert.equal(
    await shell.prints([...two, "--url", `${shell.url}/`]),
    "4\n",
    "flags of the program may come last",
  );
  await server.client().append({ type: "t", metadata: { by: "me" }, payload: "" });
  await shell.fails(two, 3, /event 5 matches/);
  const elsewhere = JSON.stringify({ storeId: crypto.randomUUID(), sequence: 1 });
  await shell.fails([...COURSE, "--if-none", "--after", elsewhere], 3, /another store/);
  assert.equal(await shell.prints(["head"]), "5\n");
});

Deno.test("of many programs that write if none has, one does, and all others end with 3", async () => {
  await using server = await startServer({ listen: "unix", listenOnly: true });
  const shell = new Shell(server.address);
  const args = [...COURSE, "--if-none", "--type", "CourseDefined", "--tag", "course=c1"];
  const codes = (await Promise.all(Array.from({ length: RACERS }, () => shell.run(args, { stdin: "" })))).map(
    ({ code }) => code,
  );
  assert.deepEqual(codes.sort(), [0, ...Array(RACERS - 1).fill(3)]);
  assert.equal((await server.client().allEvents()).length, 1);
});

Deno.test("the events of a file are written together, or none of them", async () => {
  const shell = new Shell(server.address);
  const line = (payload: string): string =>
    JSON.stringify({ type: "t", identifiers: { a: ["1", "2"] }, payload });
  await inDirectory(async (directory) => {
    const path = join(directory, "events.jsonl");
    await Deno.writeTextFile(path, `${line("1")}\n\n${line("2")}\r\n  \n${line("3")}`);
    assert.equal(await shell.prints(["append", path]), "1\n2\n3\n");
    const none = ["--if-none", "--tag", "a=1"];
    await shell.fails(["append", path, ...none], 3, /event 1 matches/);
    await shell.fails(["append", join(directory, "missing")], 2, /missing: cannot be read/);
    await shell.fails(["append", directory], 2, /directory/i);
  });
  assert.equal(await shell.prints(["append", "-"], { stdin: `${line("4")}\n` }), "4\n");
  const bad: readonly (readonly [string, RegExp])[] = [
    [`${line("5")}\n{"type":"t"}\n`, /standard input: line 2: payload is missing/],
    [`${line("5")}\n\nnot JSON\n`, /line 3: it is not valid JSON/],
    [`{"type":"t","payload":"","version":1}`, /line 1: unknown key "version"/],
    [`{"type":"t","payload":"","type":"u"}`, /line 1: .*"type" occurs twice/],
    [`{"type":"t","payload":"","identifiers":{"a":[]}}`, /line 1: identifiers: "a" is an empty array/],
    [`[${line("5")}]`, /line 1: /],
    ["", /there is no event in it/],
    ["\n \n", /there is no event in it/],
    [`${line("5")}\n`.repeat(101), /more than maxEventsPerWrite \(100\); --batch N writes N at a time/],
  ];
  for (const [stdin, words] of bad) await shell.fails(["append", "-"], 2, words, { stdin });
  const notUtf8 = Uint8Array.of(
    ...new TextEncoder().encode('{"type":"'),
    0xff,
    ...new TextEncoder().encode('"}'),
  );
  await shell.fails(["append", "-"], 2, /line 1: it is not valid UTF-8/, { stdin: notUtf8 });
  assert.deepEqual(await payloads(server), ["1", "2", "3", "4"]);
});

Deno.test("--batch writes in parts as they come, and says how far it came", async () => {
  const shell = new Shell(server.address);
  const lines = Array.from({ length: 250 }, (_, i) => `{"type":"t","payload":"${i}"}\n`).join("");
  const printed = await shell.prints(["append", "-", "--batch", "100"], { stdin: lines });
  assert.equal(printed, Array.from({ length: 250 }, (_, i) => `${i + 1}\n`).join(""));
  const { code, stdout, stderr } = await shell.run(["append", "-", "--batch", "2"], {
    stdin: '{"type":"t","payload":""}\n'.repeat(5) + "{}",
  });
  assert.deepEqual([code, stdout], [2, "251\n252\n253\n254\n"]);
  assert.match(
    stderr,
    /the first 4 events of standard input are written\n.*line 6: type is missing\n$/,
  );

  const running = shell.start(["append", "-", "--batch", "1"]);
  const writer = running.child.stdin.getWriter();
  for (const count of [1, 2]) {
    await writer.write(new TextEncoder().encode('{"type":"t","payload":""}\n'));
    await running.lines(count);
  }
  await writer.close();
  assert.equal((await running.ended()).code, 0);
});

Deno.test("everything is written, even without a reader of the output", async () => {
  const shell = new Shell(server.address);
  await inDirectory(async (directory) => {
    await Deno.writeTextFile(join(directory, "events.jsonl"), '{"type":"t","payload":""}\n'.repeat(30));
    const args = shell.command(["append", "--batch", "1", "events.jsonl"]);
    const environment = { env: shell.environment, clearEnv: true };
    const command = ["bash", "-c", 'set -o pipefail; "$@" | true', "bash", ...args];
    const { code } = await runCommand(command, { cwd: directory, ...environment });
    assert.equal(code, 0);
    const toFull = ["bash", "-c", '"$@" > /dev/full', "bash", ...shell.command(COURSE)];
    const full = await runCommand(toFull, environment);
    assert.equal(full.code, 1);
    assert.match(full.stderr, /the events are written, but .* could not be printed: /);
  });
  assert.equal((await payloads(server)).length, 31);
});

Deno.test("what makes no sense is rejected before anything is asked of a server", async () => {
  const shell = new Shell({ transport: "unix", path: "/nowhere/server.sock" });
  const event = ["append", "--type", "t", "--payload", "1"];
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [["append"], /nothing to append: give --type and --payload, or a file/],
    [["append", "--type", "t"], /the payload is missing/],
    [["append", "--type", "t", "--payload", "{capacity: 30}"], /--payload: .*; --text stores any text/],
    [[...event, "--text", "1"], /--payload and --text/],
    [[...event, "--tag", "course"], /--tag: must be name=value, not "course"/],
    [[...event, "--tag", "=c1"], /--tag: must be name=value/],
    [[...event, "--batch", "2"], /--batch is for the events of a file/],
    [[...event, "--if-none"], /--if-none needs to know/],
    [[...event, "--if-none", "--after", "-1"], /--after needs a value/],
    [[...event, "--if-none", "--after", "1.5"], /--after: must be a whole number/],
    [[...event, "--if-none", "--after", "{}"], /--after: must be a sequence or/],
    [[...event, "--query", "[]"], /"--query" of append before --if-none/],
    [["append", "file", "--type", "t"], /--type describes an event, but the events come from a file/],
    [["append", "-", "--batch", "1", "--if-none", "--tag", "a=1"], /--if-none holds for one write/],
    [["append", "-", "--batch", "0"], /--batch: must be a whole number from 1/],
    [["append", "--type", "t", "--type", "u", "--payload", "1"], /--type is given twice/],
    [["read", "--query", "[]"], /--query: query is an empty array/],
    [["read", "--query", "{"], /--query: it is not valid JSON/],
    [["read", "--query", '"*"', "--type", "t"], /--query stands alone/],
    [["read", "--query", '"*"', "a=1"], /--query stands alone/],
    [["read", "a=1", "OrderPlaced"], /unexpected argument "OrderPlaced": a type needs --type/],
    [["read", "@=1"], /unexpected argument "@=1": .* a tag is name=value/],
    [["read", "--follow", "--backwards"], /--follow waits for new events/],
    [["read", "--follow", "--before", "3"], /--follow waits for new events/],
    [["read", "--limit", "0"], /--limit: must be a whole number from 1/],
    [["read", "--after", "9".repeat(20)], /--after: must be a whole number/],
    [["projection", "get", "t"], /get needs the type and the id/],
    [["projection", "delete", "t"], /delete needs the type and the id of a projection, or --all/],
    [["projection", "delete", "t", "i", "--all"], /--all takes no id/],
    [["projection", "get", "t", "i", "--all"], /belong to delete/],
    [["projection", "drop"], /unexpected argument "drop": it is one of get, delete/],
    [["projection"], /get or delete is missing/],
    [["completions"], /bash or zsh or fish is missing/],
    [
      [],
      /a verb is missing, one of read, append, head, types, stats, export, projection, consumers, subject, forget, health, whoami, verify, explore, completions/,
    ],
    [["append", "-", "more"], /unexpected argument "more"/],
    [["head", "--token=secret"], /unknown flag "--token" of head/],
  ];
  for (const [args, words] of wrong) await shell.fails(args, 2, words);
});

Deno.test("what read --json prints can be appended to another store", async () => {
  await using other = await startServer();
  const events = [
    {
      type: "Noted",
      identifiers: { note: ["n1", "n2"], "": "" },
      metadata: { by: "web" },
      payload: "not JSON \n",
    },
    { type: "sequence", payload: '{"time":1}' },
  ];
  await server.client().append({ type: "First", payload: "" });
  await server.client().append(...events);
  const printed = await new Shell(server.address).prints(["read", "--json", "--after", "1"]);
  assert.equal(await new Shell(other.address).prints(["append", "-"], { stdin: printed }), "1\n2\n");
  const placeless = (event: object): unknown => ({ ...event, sequence: 0, time: "" });
  const [, ...before] = await server.client().allEvents();
  assert.deepEqual((await other.client().allEvents()).map(placeless), before.map(placeless));
});
