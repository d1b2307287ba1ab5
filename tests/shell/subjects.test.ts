import assert from "node:assert/strict";
import type { EventLine } from "../support/client.ts";
import { type ServerProcess, sharedServer, startServer } from "../support/server_process.ts";
import { bearer, startWithTokens, tokenToml } from "../support/tokens.ts";
import { Shell } from "./shell_address.ts";

const env = { SERVICE_SUBJECTS: "student" };
const server = sharedServer({ env });

function registered(student: string): unknown {
  return { type: "Registered", identifiers: { student }, payload: `{"name":"Ada ${student}"}` };
}

const EVENT = JSON.stringify({
  type: "StudentForgotten",
  identifiers: { student: "s1" },
  payload: "null",
});

async function payloads(server: ServerProcess): Promise<string[]> {
  return (await server.client().allEvents()).map(({ payload }) => payload);
}

Deno.test("forget makes the payloads of a person unreadable, and says what happened", async () => {
  const shell = new Shell(server.address);
  await server.client().append(registered("s1"), registered("s2"));
  assert.equal(
    await shell.prints(["forget", "student=s1"]),
    "student=s1 is forgotten: its encrypted payloads are unreadable for good\n",
  );
  assert.equal(await shell.prints(["forget", "student=s1"]), "student=s1 was forgotten before\n");
  assert.deepEqual(await payloads(server), ["", '{"name":"Ada s2"}']);
  const json = JSON.parse(await shell.prints(["forget", "student=s2", "--event", EVENT, "--json"]));
  assert.deepEqual([json.forgotten, json.events.length, json.events[0].sequence], ["now", 1, 3]);
  assert.equal(
    await shell.prints(["forget", "student=s2", "--event", EVENT, "--event", EVENT]),
    "student=s2 was forgotten before; written: 4, 5\n",
  );
  assert.deepEqual(await payloads(server), ["", "", "null", "null", "null"]);
});

Deno.test("forget writes nothing for an unknown person, and after a mistake", async () => {
  const shell = new Shell(server.address);
  await server.client().append(registered("s1"));
  await shell.fails(
    ["forget", "student=s3", "--event", EVENT],
    4,
    /ever stored encrypted for student=s3; nothing/,
  );
  await shell.fails(
    ["forget", "course=c1", "--event", EVENT],
    4,
    /the setting subjects of this server is student, without course; nothing was written/,
  );
  await shell.fails(["forget", "s1"], 2, /a subject is name=value, not "s1"/);
  await shell.fails(["forget"], 2, /name=value is missing/);
  await shell.fails(
    ["forget", "student=s1", "--event", '{"type":"T"}'],
    2,
    /--event: line 1: payload is missing/,
  );
  assert.deepEqual(await payloads(server), ['{"name":"Ada s1"}']);
});

Deno.test("subject prints all events of a person, more than one page has", async () => {
  await using server = await startServer({ env: { ...env, SERVICE_DEFAULT_EVENTS_PER_PAGE: "2" } });
  const shell = new Shell(server.address);
  const all = ["s/1 \u00e9", "s2"].flatMap((student) => Array.from({ length: 5 }, () => registered(student)));
  await server.client().append(...all);
  const lines = (await shell.prints(["subject", "student=s/1 \u00e9"])).split("\n").slice(0, -1);
  assert.deepEqual(lines.map((line) => JSON.parse(line)), (await server.client().allEvents()).slice(0, 5));
  assert.deepEqual(lines.map((line) => (JSON.parse(line) as EventLine).sequence), [1, 2, 3, 4, 5]);
  await shell.prints(["forget", "student=s/1 \u00e9"]);
  const [first] = (await shell.prints(["subject", "student=s/1 \u00e9"])).split("\n");
  const { payload, forgotten } = JSON.parse(first!);
  assert.deepEqual([payload, forgotten], ["", ["student"]]);
  assert.equal(await shell.prints(["subject", "student=nobody"]), "");
  await shell.fails(["subject", "student=.."], 2, /no path can hold "\.\."; use read --json/);
});

Deno.test("read shows that a payload was forgotten, as a table and as JSON", async () => {
  const shell = new Shell(server.address);
  await server.client().append(registered("s1"), registered("s2"));
  await shell.prints(["forget", "student=s1"]);
  const [, first, second] = (await shell.prints(["read"])).split("\n");
  assert.match(first!, /student=s1 {2}\(forgotten: student\)$/);
  assert.match(second!, /student=s2 {2}\{"name":"Ada s2"\}$/);
  const [line] = (await shell.prints(["read", "--json"])).split("\n");
  assert.deepEqual(JSON.parse(line!).forgotten, ["student"]);
});

Deno.test("append rejects events whose payload was forgotten, and the filter of the page leaves them out", async () => {
  const shell = new Shell(server.address);
  await server.client().append(
    registered("s1"),
    registered("s2"),
    { type: "T", payload: '"payload":"","forgotten":["student"]' },
  );
  await shell.prints(["forget", "student=s1"]);
  const input = await shell.prints(["read", "--json"]);
  await using other = await startServer({});
  const copier = new Shell(other.address);
  await copier.fails(
    ["append", "-"],
    2,
    /line 1: the payload of this event was forgotten; leave such lines out/,
    {
      stdin: input,
    },
  );
  assert.deepEqual(await payloads(other), []);
  const page = await Deno.readTextFile("docs/shell.md");
  const [, filter] = /`grep -v '([^']+)'`/.exec(page)!;
  const rest = input.split("\n").filter((line) => !new RegExp(filter!).test(line)).join("\n");
  await copier.prints(["append", "-"], { stdin: rest });
  assert.deepEqual(await payloads(other), (await payloads(server)).slice(1));
});

Deno.test("without the setting there is nothing to forget, and without the right it is not allowed", async () => {
  await using plain = await startServer({});
  const shell = new Shell(plain.address);
  for (const verb of ["forget", "subject"]) {
    await shell.fails([verb, "student=s1"], 2, /this server encrypts nothing.*setting subjects is empty/);
  }
  await using guarded = await startWithTokens(
    "A",
    tokenToml("service", "s", ["read", "write"]) + tokenToml("officer", "o", ["forget"]),
    env,
  );
  await guarded.client(bearer("s")).append(registered("s1"));
  const other = new Shell(guarded.address);
  await other.fails(["forget", "student=s1"], 7, /lacks the right "forget"/, {
    env: { EVENTSTORE_TOKEN: "s" },
  });
  await other.prints(["forget", "student=s1"], { env: { EVENTSTORE_TOKEN: "o" } });
});
