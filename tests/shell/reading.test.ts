import assert from "node:assert/strict";
import type { Client, EventLine } from "../support/client.ts";
import { runCommand } from "../support/run_command.ts";
import { sharedServer, startServer } from "../support/server_process.ts";
import { type Passage, TcpProxy } from "../support/tcp_proxy.ts";
import { hasTerminal, Shell } from "./shell_address.ts";

const server = sharedServer();

const EVENTS = [
  {
    type: "CourseDefined",
    identifiers: { course: "c1" },
    metadata: { by: "web" },
    payload: '{"capacity":30}',
  },
  { type: "CourseDefined", identifiers: { course: "c2" }, payload: '{"capacity":5}' },
  { type: "StudentEnrolled", identifiers: { course: "c1", student: ["s1", "s2"] }, payload: "null" },
  {
    type: "StudentEnrolled",
    identifiers: { course: "c2", student: "s1" },
    metadata: { by: "web" },
    payload: "null",
  },
];

const ESC = "\x1b";

for (const listen of ["unix", "tcp"] as const) {
  Deno.test(`over ${listen}, reads show what matches, in the order and range that was asked for`, async () => {
    await using server = await startServer({ listen, listenOnly: true });
    await server.client().append(...EVENTS);
    const shell = new Shell(server.address);
    const sequences = async (...args: string[]): Promise<number[]> =>
      (await shell.prints(["read", "--json", ...args])).split("\n").slice(0, -1)
        .map((line) => (JSON.parse(line) as EventLine).sequence);

    assert.deepEqual(await sequences(), [1, 2, 3, 4]);
    assert.deepEqual(await sequences("--type", "CourseDefined"), [1, 2]);
    assert.deepEqual(await sequences("--type", "CourseDefined", "--type", "StudentEnrolled"), [1, 2, 3, 4]);
    assert.deepEqual(await sequences("--tag", "course=c1"), [1, 3]);
    assert.deepEqual(await sequences("--tag", "student=s1", "--tag", "student=s2"), [3], "all of them");
    assert.deepEqual(await sequences("--tag", "course=c2", "--meta", "by=web"), [4]);
    assert.deepEqual(await sequences("course=c2", "@by=web"), [4], "words are tags and metadata");
    assert.deepEqual(await sequences("student=s1", "--type", "StudentEnrolled", "--tag", "course=c1"), [3]);
    assert.deepEqual(await sequences("--type", "CourseDefined", "--tag", "student=s1"), []);
    const items = [
      { types: ["CourseDefined"], identifiers: [{ name: "course", value: "c2" }] },
      { identifiers: [{ name: "student", value: "s2" }] },
    ];
    assert.deepEqual(await sequences("--query", JSON.stringify(items)), [2, 3], "any of them");
    assert.deepEqual(await sequences("--query", '"*"', "--after", "2"), [3, 4]);
    assert.deepEqual(await sequences("--after", "1", "--before", "4", "--limit", "1"), [2]);
    assert.deepEqual(await sequences("--backwards", "--limit", "2"), [4, 3]);
    assert.deepEqual(await sequences("--after=2", "--backwards"), [4, 3]);
    assert.deepEqual(await sequences("--limit", "3"), [1, 2, 3]);
    const head = await shell.prints(["head", "--json"]);
    assert.deepEqual(JSON.parse(head), { storeId: await server.client().storeId(), sequence: 4 });
    assert.equal(await shell.prints(["head"]), "4\n");
    assert.deepEqual(await sequences("--after", head.trim()), []);
  });
}

/** After each page, an event is committed before the client reads on; not forever, so that every read ends. */
class GrowingStore extends TcpProxy {
  #left = 20;

  constructor(serverPort: number, readonly client: Client) {
    super(serverPort);
  }

  protected override async back(bytes: Uint8Array, passage: Passage): Promise<void> {
    const isPage = /^x-service-head:/im.test(new TextDecoder().decode(bytes));
    if (isPage && this.#left-- > 0) await this.client.append(EVENTS[0]);
    await super.back(bytes, passage);
  }
}

Deno.test("a read ends with the last event that was stored when it began", async () => {
  await using server = await startServer({ listen: "tcp", env: { SERVICE_DEFAULT_EVENTS_PER_PAGE: "1" } });
  await server.client().append(...EVENTS);
  const { port } = server.address as { readonly port: number };
  await using growing = new GrowingStore(port, server.client());
  const shell = new Shell({ transport: "tcp", hostname: "127.0.0.1", port: growing.port });
  const printed = await shell.prints(["read", "--json"]);
  assert.equal(printed.split("\n").length - 1, EVENTS.length);
});

Deno.test("--json prints events as the server sends them, the table what people want to see", async () => {
  await server.client().append(...EVENTS);
  const shell = new Shell(server.address);
  const events = await server.client().allEvents();
  assert.equal(
    await shell.prints(["read", "--json"]),
    events.map((event) => `${JSON.stringify(event)}\n`).join(""),
  );
  const time = `${events[0]!.time.slice(0, 19)}Z`;
  assert.equal(
    await shell.prints(["read", "--limit", "3"]),
    [
      "SEQUENCE  TIME                  TYPE             TAGS                             PAYLOAD",
      `1         ${time}  CourseDefined    course=c1                        {"capacity":30}`,
      `2         ${time}  CourseDefined    course=c2                        {"capacity":5}`,
      `3         ${time}  StudentEnrolled  course=c1 student=s1 student=s2  null`,
      "",
    ].join("\n"),
  );
  assert.equal(await shell.prints(["read", "--tag", "course=none"]), "");
});

Deno.test("a type that no event has is named on standard error, with the one that was meant", async () => {
  await using server = await startServer({ env: { SERVICE_DEFAULT_EVENTS_PER_PAGE: "1" } });
  const shell = new Shell(server.address);
  await server.client().append(...["OrderPlaced", "OrderPaid"].map((type) => ({ type, payload: "" })));
  const says = async (args: readonly string[], ...lines: readonly string[]): Promise<void> => {
    const stderr = lines.map((line) => `eventstore-client: ${line}\n`).join("");
    assert.deepEqual(await shell.run(["read", ...args]), { code: 0, stdout: "", stderr }, args.join(" "));
  };
  const slip = 'no type "OrderPlacd"; did you mean OrderPlaced?';
  await says(["--type", "OrderPlacd"], slip);
  await says(
    ["--type", "Refunded", "--type", "OrderPlacd", "--type", "OrderPlaced", "--tag", "order=o2"],
    'no event has the type "Refunded"',
    slip,
  );
  await says(["--type", "OrderPlaced", "--after", "1"]);
  await says(["--type", "OrderPlacd", "--json"]);
  assert.match(await shell.prints(["read", "--type", "OrderPlacd", "--type", "OrderPlaced"]), /OrderPlaced/);
});

Deno.test("nothing that others have stored is obeyed by a terminal", async () => {
  const evil = `${ESC}]0;title\x07 ${ESC}[2J \x9b31m \u202egpj \u2028 \x7f\r\n\t\u{e0041}`;
  const event = { type: evil, identifiers: { [evil]: evil }, metadata: { [evil]: evil }, payload: evil };
  await server.client().append(event);
  await server.client().write({ projections: { create: [{ type: evil, id: evil, payload: evil }] } });
  const shell = new Shell(server.address);
  // deno-lint-ignore no-control-regex -- these are what must not be there
  const obeyed = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\u{e0041}]/u;
  for (const args of [["read"], ["read", "--json"], ["projection", "get", evil, evil, "--json"]]) {
    assert.doesNotMatch(await shell.prints(args), obeyed, args[0]);
  }
  const json = JSON.parse(await shell.prints(["read", "--json"])) as EventLine;
  assert.deepEqual([json.type, json.payload, json.identifiers], [evil, evil, { [evil]: evil }]);
  const failed = await shell.run(["projection", "get", "none", evil]);
  assert.equal(failed.code, 4);
  assert.doesNotMatch(failed.stderr.trimEnd(), obeyed);
  assert.equal(
    await shell.prints(["projection", "get", evil, evil]),
    `${evil}\n`,
    "a program gets it as it is",
  );
});

Deno.test({
  name: "on a terminal rows fit its width, and say so when nothing matches",
  ignore: !hasTerminal,
  fn: async () => {
    const wide = "\u5b57\u{1f600}e\u0301".repeat(100);
    await server.client().append(
      { type: "t", identifiers: { a: "1" }, payload: "x".repeat(1000) },
      { type: "t", payload: wide },
      { type: "t", payload: `${ESC}[31m`.repeat(100) },
      { type: "t", payload: "short" },
    );
    await server.client().write({ projections: { create: [{ type: "p", id: "1", payload: `${ESC}[31m` }] } });
    const shell = new Shell(server.address);
    const rows = (await shell.onTerminal(["read"], 60)).split("\n").slice(0, -1);
    // 16 cells are left for payloads. The wide ones take two, combining marks none.
    assert.deepEqual(rows.map((row) => row.slice(44)), [
      "PAYLOAD",
      `${"x".repeat(15)}\u2026`,
      `${"\u5b57\u{1f600}e\u0301".repeat(3)}\u2026`,
      "\\u001b[31m\\u001\u2026",
      "short",
    ]);
    assert.equal(await shell.onTerminal(["projection", "get", "p", "1"], 60), "\\u001b[31m\n");
    assert.equal(await shell.onTerminal(["projection", "get", "p", "1"], 0), "\\u001b[31m\n");
    await server.client().append({ type: "marks", payload: "e\u0301".repeat(100) });
    const [, marks] = (await shell.onTerminal(["read", "--type", "marks"], 100)).split("\n");
    assert.match(marks!, / {2}(e\u0301){54}\u2026$/u, "marks take no cell, so no more is cut off for them");
    const [, first] = (await shell.onTerminal(["read"], 0)).split("\n");
    assert.ok(first!.endsWith("x".repeat(1000)), "a terminal that does not know its width cuts nothing");
    assert.equal(
      await shell.onTerminal(["read", "--type", "t", "--tag", "a=none"], 60),
      "eventstore-client: no event matches\n",
    );
    assert.equal(await shell.onTerminal(["read", "--type", "none", "--json"], 60), "");
  },
});

Deno.test("who has seen enough may leave", async () => {
  for (let batch = 0; batch < 20; batch++) {
    await server.client().append(
      ...Array.from({ length: 100 }, () => ({ type: "t", payload: "x".repeat(1000) })),
    );
  }
  const shell = new Shell(server.address);
  for (const args of [["read", "--json"], ["read"], ["read", "--follow"]]) {
    const command = ["bash", "-c", 'set -o pipefail; "$@" | head -n 1', "bash", ...shell.command(args)];
    const { code, stdout, stderr } = await runCommand(command, { env: shell.environment, clearEnv: true });
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    assert.equal(stdout.split("\n").length, 2);
  }
});

Deno.test("--since and --until take times", async () => {
  const shell = new Shell(server.address);
  for (const type of ["First", "Second", "Third"]) await server.client().append({ type, payload: "" });
  const [, second, third] = await server.client().allEvents();
  const types = async (...args: string[]): Promise<string[]> =>
    (await shell.prints(["read", "--json", ...args])).trimEnd().split("\n").map((line) =>
      JSON.parse(line).type
    );
  assert.deepEqual(await types("--since", second!.time), ["Second", "Third"]);
  assert.deepEqual(await types("--until", third!.time), ["First", "Second"]);
  assert.deepEqual(await types("--since", second!.time, "--until", third!.time, "--backwards"), ["Second"]);
  const oneMoment = ["--since", second!.time, "--until", second!.time];
  assert.equal(await shell.prints(["read", "--json", ...oneMoment]), "", "no event is within no time");
  const wrong: readonly (readonly [args: string[], words: RegExp])[] = [
    [["--since", "yesterday"], /--since: must be a time such as \S+, not "yesterday"/],
    [
      ["--since", "2026-11-20T20:00:00+01:00", "--until", "2026-11-20T18:59:59Z"],
      /--since \(2026-11-20T20:00:00\+01:00\) must not be later than --until \(2026-11-20T18:59:59Z\)$/m,
    ],
    [["--after", "5", "--before", "3"], /--after \(5\) must not be later than --before \(3\)$/m],
    [["--since", second!.time, "--after", "1"], /only one of --after and --since/],
    [["--until", second!.time, "--before", "1"], /only one of --before and --until/],
    [["--until", second!.time, "--follow"], /--follow waits for new events, --until asks for old ones/],
  ];
  for (const [args, words] of wrong) await shell.fails(["read", ...args], 2, words);
});

Deno.test("types and stats print what the store contains", async () => {
  await using server = await startServer({ listenOnly: true });
  const shell = new Shell(server.address);
  assert.equal(await shell.prints(["types"]), "EVENTS  FIRST  LAST  TYPE\n");
  assert.equal(await shell.prints(["stats"]), "0 events of 0 types\n");
  const strange = { type: `${ESC}[31mred`, identifiers: { course: "c1" }, payload: "" };
  await server.client().append(...EVENTS, ...EVENTS, ...EVENTS, strange);
  assert.equal(
    await shell.prints(["types"]),
    `EVENTS  FIRST  LAST  TYPE
     6      1    10  CourseDefined
     6      3    12  StudentEnrolled
     1     13    13  \\u001b[31mred
`,
  );
  const { time } = JSON.parse(await shell.prints(["read", "--json", "--after", "12"])) as EventLine;
  assert.equal(
    await shell.prints(["stats"]),
    `13 events of 3 types, the last one at ${time}
EVENTS  IDENTIFIER
    13  course
     6  student
`,
  );
  const catalog = JSON.parse(await shell.prints(["stats", "--json"]));
  assert.deepEqual([catalog.afterSequence, catalog.types[0].type], [13, "CourseDefined"]);
  const types = (await shell.prints(["types", "--json"])).trimEnd().split("\n").map((line) =>
    JSON.parse(line)
  );
  assert.deepEqual(types, catalog.types);
});
