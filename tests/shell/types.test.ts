import assert from "node:assert/strict";
import type { StoredEvent } from "../../client/mod.ts";
import { FIELDS_MAX, StoredTypes, TYPES_MAX } from "../../src/shell/payload_fields.ts";
import { sharedServer } from "../support/server_process.ts";
import { Shell } from "./shell_address.ts";

/* Tests of `types` when it reads the events themselves. */

const ESC = "\u001b";

const server = sharedServer({ env: { SERVICE_SUBJECTS: "customer" } });

const order = (payload: unknown, metadata: Record<string, string> = {}, customer = "c1") => ({
  type: "OrderPlaced",
  identifiers: { customer },
  metadata,
  payload: typeof payload === "string" ? payload : JSON.stringify(payload),
});

async function fill(): Promise<void> {
  await server.client().append(
    order({ cents: 1, items: [{ sku: "a" }, { sku: null }, 7] }),
    order({ cents: "2", "odd key": true, [`${ESC}[31m`]: [] }),
    order({ price: { cents: 3 } }, { schemaVersion: "2" }),
    { type: "Noted", payload: "no JSON" },
    order("null"),
  );
}

Deno.test("types --fields prints the versions and fields that payloads have", async () => {
  await fill();
  const shell = new Shell(server.address);
  assert.equal(
    await shell.prints(["types", "--fields"]),
    `EVENTS  FIRST  LAST  VERSION  TYPE
     3      1     5        1  OrderPlaced
     3                          payload: object, null
     2                          payload.cents: number, string
     1                          payload.items: array
     1                          payload.items[]: object, number
     1                          payload.items[].sku: string, null
     1                          payload["odd key"]: boolean
     1                          payload["\\u001b[31m"]: array
     1      3     3        2  OrderPlaced
     1                          payload: object
     1                          payload.price: object
     1                          payload.price.cents: number
     1      4     4        1  Noted
     1                          payload: text
`,
  );
  const printed = await shell.prints(["types", "--fields", "--json", "@schemaVersion=2"]);
  const { time } = (await server.client().allEvents())[2]!;
  assert.deepEqual(JSON.parse(printed), {
    type: "OrderPlaced",
    version: "2",
    count: 1,
    first: 3,
    last: 3,
    firstTime: time,
    lastTime: time,
    fields: [
      { path: "payload", count: 1, types: ["object"] },
      { path: "payload.price", count: 1, types: ["object"] },
      { path: "payload.price.cents", count: 1, types: ["number"] },
    ],
  });
});

Deno.test("types counts the events that flags and words select, without their fields", async () => {
  await fill();
  const shell = new Shell(server.address);
  const counts = async (...args: string[]): Promise<unknown[]> =>
    (await shell.prints(["types", "--json", ...args])).split("\n").slice(0, -1).map((line) => {
      const { type, version, count, fields } = JSON.parse(line);
      assert.equal(fields, undefined);
      return [type, version, count];
    });
  const [, , third] = await server.client().allEvents();
  const [first, second, noted] = [["OrderPlaced", "1"], ["OrderPlaced", "2"], ["Noted", "1"]] as const;
  assert.deepEqual(await counts("--type", "OrderPlaced"), [[...first, 3], [...second, 1]]);
  assert.deepEqual(await counts("--query", '[{"types":["Noted"]}]'), [[...noted, 1]]);
  assert.deepEqual(await counts("customer=c1", "--after", "2"), [[...second, 1], [...first, 1]]);
  assert.deepEqual(await counts("--before", "3"), [[...first, 2]]);
  assert.deepEqual(await counts("--limit", "3"), [[...first, 2], [...second, 1]]);
  // More than a page can have.
  assert.equal((await counts("--limit", "100000")).length, 3);
  assert.equal((await counts("--since", third!.time)).length, 3);
  assert.deepEqual(await counts("customer=c2"), []);
  const { stderr } = await shell.run(["types", "--type", "OrderPlacd"]);
  assert.match(stderr, /no type "OrderPlacd"; did you mean OrderPlaced\?/);
  await shell.fails(["types", "--limit", "0"], 2, /--limit: must be a whole number from 1, not "0"/);
  await shell.fails(["types", "--since", "1", "--after", "1"], 2, /only one of --after and --since/);
});

Deno.test("types --fields says how many payloads were forgotten", async () => {
  await server.client().append(order({ name: "Ada" }, {}, "c9"), order({ cents: 1 }, {}, "c8"));
  const shell = new Shell(server.address);
  await shell.prints(["forget", "customer=c9"]);
  const printed = await shell.prints(["types", "--fields"]);
  assert.deepEqual(printed.split("\n").slice(1, -1).map((line) => line.replaceAll(/ +/g, " ").trim()), [
    "2 1 2 1 OrderPlaced",
    "1 (forgotten)",
    "1 payload: object",
    "1 payload.cents: number",
  ]);
});

const event = (sequence: number, type: string, payload: unknown): StoredEvent => ({
  sequence,
  time: "2026-11-20T19:07:36.048101Z",
  type,
  identifiers: {},
  metadata: {},
  payload: JSON.stringify(payload),
});

Deno.test("the numbers of fields and of types in memory are limited", () => {
  const counts = new StoredTypes();
  const ids = Array.from({ length: 2 * FIELDS_MAX }, (_, i) => [`id${i}`, { deep: i }]);
  counts.add(event(1, "Ids", Object.fromEntries(ids)), true);
  counts.add(event(2, "Long", { ["x".repeat(300)]: { a: 1 }, b: 1 }), true);
  let nested: unknown = 1;
  for (let depth = 0; depth < 2000; depth++) nested = [nested];
  counts.add(event(3, "Nested", nested), true);
  const [ids1, long, deep] = counts.result();
  assert.deepEqual([ids1!.fields.length, ids1!.moreFields], [FIELDS_MAX, true]);
  assert.deepEqual([long!.fields.map(({ path }) => path), long!.moreFields], [
    ["payload", "payload.b"],
    true,
  ]);
  assert.deepEqual([deep!.fields.length < FIELDS_MAX, deep!.moreFields], [true, true]);
  for (let i = 0; i < TYPES_MAX; i++) counts.add(event(4 + i, `type ${i}`, null), false);
  assert.deepEqual([counts.result().length, counts.left], [TYPES_MAX, 3]);
});
