import { type } from "arktype";
import assert from "node:assert/strict";
import * as v from "valibot";
import { z } from "zod";
import { EventStore, type NewEvent, type StandardSchema, type Transport } from "../../client/mod.ts";
import { lossIn } from "../../client/schemas/plain_json.ts";
import { given, memoryStore } from "../../client/testing/mod.ts";
import { failure, listed, placeOf, sharedTestServer } from "./support.ts";

/* Tests of payloads that are checked by schemas, when they are written and when they are read. */

const server = sharedTestServer();

const place = (): { url: string } => ({ url: placeOf(server.address).url! });

/** Fails when a request is sent. */
const silent: Transport = { address: "nowhere", send: () => assert.fail("a request was sent") };

interface Order {
  items: { cents: number }[];
}

const LIBRARIES: Readonly<Record<string, StandardSchema<Order>>> = {
  Zod: z.object({ items: z.array(z.object({ cents: z.number() })) }),
  Valibot: v.object({ items: v.array(v.object({ cents: v.number() })) }),
  ArkType: type({ items: type({ cents: "number" }).array() }),
};

for (const [library, OrderPlaced] of Object.entries(LIBRARIES)) {
  Deno.test(`a payload that does not fit a schema of ${library} is rejected with event, type and path, and not sent`, async () => {
    const store = new EventStore({ transport: silent, schemas: { OrderPlaced } });
    const right: NewEvent<{ OrderPlaced: Order }> = {
      type: "OrderPlaced",
      payload: { items: [{ cents: 1 }] },
    };
    const wrong: typeof right = {
      type: "OrderPlaced",
      payload: { items: [{ cents: 1 }, { cents: "2" as never }] },
    };
    const error = await failure(store.append([right, wrong]));
    assert.deepEqual([error.name, error.code, error.outcomeUnknown], ["Refused", "InvalidPayload", false]);
    assert.match(error.message, /^events\[1\] \(type OrderPlaced\): payload\.items\[1\]\.cents: \S/);
    assert.equal((error.cause as { message: string }[]).length, 1);
    const sent = new EventStore({ ...place(), schemas: { OrderPlaced } });
    await sent.append(right);
    assert.deepEqual((await sent.read("*")).events[0]!.payload, right.payload);
  });
}

Deno.test("a message quotes five issues at most, and names odd keys", async () => {
  const Noted = z.record(z.string(), z.number());
  const store = new EventStore({ transport: silent, schemas: { Noted } });
  const payload = Object.fromEntries(["a b", 'c"', "d", "e", "f", "g", "h"].map((key) => [key, "x"]));
  const error = await failure(store.append({ type: "Noted", payload: payload as never }));
  assert.match(
    error.message,
    /: payload\["a b"\]: [^;]+; payload\["c\\""\]: .*; payload\.f: [^;]+; and 2 more$/,
  );
});

Deno.test("the output of the schema is stored, also of one that answers later", async () => {
  const Later: StandardSchema<{ cents: number }> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => Promise.resolve({ value: { ...value as { cents: number }, isLate: true } }),
    },
  };
  const Defaults = z.object({ cents: z.number(), currency: z.string().default("EUR") });
  const store = new EventStore({ ...place(), schemas: { Later, Defaults } });
  const payload = { cents: 1, more: 2 } as never;
  await store.append([{ type: "Later", payload }, { type: "Defaults", payload }]);
  const plain = new EventStore(place());
  const stored = await listed(plain.readAll("*"));
  assert.deepEqual(stored.map(({ payload }) => payload), [
    { cents: 1, more: 2, isLate: true },
    { cents: 1, currency: "EUR" },
  ]);
  assert.deepEqual(stored.map(({ metadata }) => metadata), [{}, {}]);
});

Deno.test("a type without a schema cannot be written, and is read as it is", async () => {
  await new EventStore(place()).append({ type: "constructor", payload: { any: 1 } });
  const store = new EventStore<Record<string, number>>({ ...place(), schemas: { Counted: z.number() } });
  const error = await failure(store.append({ type: "constructor", payload: 1 }));
  assert.deepEqual([error.name, error.code], ["Refused", "NoSchema"]);
  assert.equal(error.message, "events[0] (type constructor): this type has no schema");
  assert.deepEqual((await store.read("*")).events[0]!.payload, { any: 1 });
});

Deno.test("a payload that would come back from JSON as another is rejected", async () => {
  const Dated = z.object({ at: z.date() });
  const payload = { at: new Date(0) };
  const store = new EventStore({ transport: silent, schemas: { Dated } });
  const error = await failure(store.append({ type: "Dated", payload }));
  assert.match(error.message, /^events\[0\] \(type Dated\): payload\.at \(Date\) would change in JSON; /);
  const reads = new EventStore({ transport: silent, schemas: { Dated }, checkReads: true });
  const again = await failure(reads.append({ type: "Dated", payload }));
  assert.match(again.message, /^events\[0\] \(type Dated\), once it is JSON: payload\.at: /);
});

Deno.test("parts that JSON changes", () => {
  for (const value of [null, 1, "a", true, [], {}, { a: [{ b: undefined }] }, Object.create(null)]) {
    assert.equal(lossIn(value), undefined);
  }
  const cases: [unknown, string][] = [
    [undefined, "payload (undefined)"],
    [{ a: [1, { b: NaN }] }, "payload.a[1].b (NaN)"],
    [[undefined], "payload[0] (undefined)"],
    [{ a: new Map() }, "payload.a (Map)"],
    [{ a: 1n }, "payload.a (bigint)"],
    [() => 1, "payload (function)"],
    [{ "a b": [/x/] }, 'payload["a b"][0] (RegExp)'],
  ];
  for (const [value, loss] of cases) assert.equal(lossIn(value), loss);
});

Deno.test("with checkReads a read returns the output of the schema, and rejects what does not fit", async () => {
  const schemas = { Dated: z.object({ at: z.coerce.date() }) };
  const store = new EventStore({ ...place(), schemas, checkReads: true });
  await store.append({ type: "Dated", payload: { at: new Date(0) } });
  const [event] = (await store.read("*")).events;
  assert.equal(event!.payload.at.getTime(), 0);
  await new EventStore(place()).append({ type: "Dated", payload: { at: "never" } });
  const error = await failure(store.read("*"));
  assert.equal(error.code, "InvalidPayload");
  assert.match(error.message, /^event 2 \(type Dated, version 1\): payload\.at: /);
});

Deno.test("a test without a server uses the same schemas", async () => {
  const schemas = { Counted: z.number() };
  const error = await failure(memoryStore({ schemas }).append({ type: "Counted", payload: "1" as never }));
  assert.equal(error.code, "InvalidPayload");
  const one = { type: "Counted", payload: 1 } as const;
  const count = (store: EventStore<{ Counted: number }>) =>
    store.decide({ query: "*", initial: 1, apply: (n, { payload }) => n + payload }, (payload) => ({
      type: "Counted",
      payload,
    }));
  await given([one], { schemas }).when(count).then([{ ...one, payload: 2 }]);
});

Deno.test("schemas need payloads that are JSON", () => {
  const schemas = { Counted: z.number() };
  assert.throws(
    () => new EventStore({ ...place(), schemas, payload: "text" }),
    TypeError("schemas need JSON"),
  );
  assert.throws(() => new EventStore({ ...place(), schemas, notJson: "text" }), TypeError);
});

Deno.test("an object that is no Standard Schema is an error that names it", async () => {
  const schemas = { Counted: { type: "number" } as never };
  const store = new EventStore<{ Counted: number }>({ transport: silent, schemas });
  const message = "schemas.Counted, version 1, is not a Standard Schema";
  await assert.rejects(store.append({ type: "Counted", payload: 1 }), TypeError(message));
});

Deno.test("a write under a key is recognized by what is stored", async () => {
  const schemas = { Noted: z.object({ text: z.string().trim(), tags: z.array(z.string()).default([]) }) };
  const store = new EventStore({ ...place(), schemas });
  const noted = (text: string) => ({ type: "Noted" as const, payload: { text, tags: [] } });
  const first = await store.writeOnce("k", noted("a"));
  assert.deepEqual(await store.writeOnce("k", noted(" a ")), { ...first, repeated: true });
  assert.equal((await failure(store.writeOnce("k", noted("b")))).code, "DifferentBody");
});
