import assert from "node:assert/strict";
import { z } from "zod";
import { EventStore, type EventStoreOptions, type StoredEvent } from "../../client/mod.ts";
import { versions } from "../../client/schemas/mod.ts";
import { seededRandom, testSeed } from "../support/test_seed.ts";
import { failure, listed, placeOf, sharedTestServer } from "./support.ts";

/* Tests of payloads that were written in older versions. */

const env = { SERVICE_SUBJECTS: "customer" };
const server = sharedTestServer("tcp", env);
const editions = {
  B: sharedTestServer("tcp", { SERVICE_EDITION: "B" }),
  C: sharedTestServer("tcp", { SERVICE_EDITION: "C" }),
};

const cents = z.object({ cents: z.number() });
const withCurrency = z.object({ cents: z.number(), currency: z.string() });
const withPrice = z.object({ price: z.object({ cents: z.number(), currency: z.string() }), by: z.string() });

const first = versions(cents);
const second = first.next(withCurrency, ({ cents }) => ({ cents, currency: "EUR" }));
const third = second.next(withPrice, ({ cents, currency }, { identifiers }) => ({
  price: { currency, cents },
  by: String(identifiers["customer"] ?? "unknown"),
}));

/** Programs of three releases. */
function releases(options: EventStoreOptions = {}, address = server.address) {
  const place = { ...placeOf(address), ...options };
  return {
    plain: new EventStore(place),
    v1: new EventStore({ ...place, schemas: { OrderPlaced: first } }),
    v2: new EventStore({ ...place, schemas: { OrderPlaced: second } }),
    v3: new EventStore({ ...place, schemas: { OrderPlaced: third } }),
  };
}

const query = { types: ["OrderPlaced" as const] };
const type = "OrderPlaced";
const NEWEST = [1, 2, 3].map((cents) => ({ price: { cents, currency: "EUR" }, by: "unknown" }));

type Newest = (typeof NEWEST)[number];

async function writeOneOfEach({ v1, v2, v3 }: ReturnType<typeof releases>): Promise<void> {
  await v1.append({ type, payload: { cents: 1 } });
  await v2.append({ type, payload: { cents: 2, currency: "EUR" } });
  await v3.append({ type, payload: NEWEST[2]! });
}

const payloads = (events: readonly { readonly payload: Newest }[]): Newest[] =>
  events.map(({ payload }) => payload);

Deno.test("every read returns the newest version, and an event carries the version that it was written in", async () => {
  const programs = releases();
  await writeOneOfEach(programs);
  const stored = await listed(programs.plain.readAll("*"));
  assert.deepEqual(stored.map(({ metadata }) => metadata), [
    {},
    { schemaVersion: "2" },
    { schemaVersion: "3" },
  ]);
  assert.deepEqual(stored[0]!.payload, { cents: 1 });
  const { v3 } = programs;
  assert.deepEqual(payloads((await v3.read(query)).events), NEWEST);
  assert.deepEqual(payloads((await v3.read(query, { backwards: true })).events), NEWEST.toReversed());
  assert.deepEqual(payloads(await listed(v3.readAll(query))), NEWEST);
  for await (const { events } of v3.follow(query)) {
    assert.deepEqual(payloads(events), NEWEST);
    break;
  }
  const initial: Newest[] = [];
  const apply = (all: Newest[], event: StoredEvent<{ OrderPlaced: Newest }>) => [...all, event.payload];
  for await (const { state } of v3.project("state", { query, initial, apply })) {
    assert.deepEqual(state, NEWEST);
    break;
  }
  for await (const { rows } of v3.project("rows", { query, initial, apply, key: () => "all" })) {
    assert.deepEqual(rows.get("all"), NEWEST);
    break;
  }
  await v3.decide({ query, initial, apply }, (all) => assert.deepEqual(all, NEWEST));
});

Deno.test("a consumer handles the newest version, and the events that it returns are checked", async () => {
  const { v1, v3, plain } = releases();
  await v1.append([1, 2].map((cents) => ({ type, payload: { cents } })));
  const end = new AbortController();
  const parked: string[] = [];
  const running = v3.consume("c", {
    query,
    handle({ sequence, payload }) {
      if (sequence > 2) return end.abort();
      assert.deepEqual(payload, NEWEST[sequence - 1]);
      return { type, payload: sequence === 1 ? ({} as Newest) : payload };
    },
  }, {
    attempts: 1,
    signal: end.signal,
    onNotification: (one) => one.kind === "parked" && parked.push(String(one.error)),
  });
  await assert.rejects(running);
  assert.equal(parked.length, 1);
  assert.match(parked[0]!, /^Refused: events\[0\] \(type OrderPlaced\): payload\.price: /);
  const [last] = (await plain.read("*", { backwards: true, limit: 1 })).events;
  assert.deepEqual([last!.sequence, last!.payload, last!.metadata["schemaVersion"]], [3, NEWEST[1], "3"]);
});

for (const edition of ["B", "C"] as const) {
  Deno.test(`${edition}: a transaction reads the newest version, and writes it`, async () => {
    const { v1, v3, plain } = releases({ edition }, editions[edition].address);
    await v1.transaction((tx) => tx.append({ type, payload: { cents: 1 } }));
    await v3.transaction(async (tx) => {
      await tx.append({ type, payload: NEWEST[2]! });
      assert.deepEqual(payloads(await tx.read(query)), [NEWEST[0], NEWEST[2]]);
    });
    const [, last] = await listed(plain.readAll("*"));
    assert.deepEqual([last!.payload, last!.metadata], [NEWEST[2], { schemaVersion: "3" }]);
  });
}

Deno.test("events that forget writes are checked and carry their version; forgotten ones are left as they are", async () => {
  const { v1, v3, plain } = releases();
  await v1.append({ type, identifiers: { customer: "c1" }, payload: { cents: 1 } });
  assert.equal((await v3.read(query)).events[0]!.payload.by, "c1");
  const events = { type, payload: NEWEST[0]! } as const;
  const wrong = { type, payload: { cents: 1 } as never } as const;
  const subject = { name: "customer", value: "c1" };
  assert.equal((await failure(v3.forget(subject, { events: wrong }))).code, "InvalidPayload");
  await v3.forget(subject, { events });
  const [forgotten, last] = (await v3.read(query)).events;
  assert.deepEqual([forgotten!.payload, forgotten!.forgotten], [null, ["customer"]]);
  assert.deepEqual(last!.payload, NEWEST[0]);
  assert.deepEqual((await plain.read("*")).events[1]!.metadata, { schemaVersion: "3" });
});

Deno.test("an event that was read can be written again: its version is the newest then", async () => {
  const { v1, v2, v3, plain } = releases();
  await v1.append({ type, payload: { cents: 1 } });
  const { sequence: _, time: __, ...event } = (await v3.read(query)).events[0]!;
  await v3.append(event);
  await v1.append({ type, metadata: { schemaVersion: "7", by: "me" }, payload: { cents: 1 } });
  assert.deepEqual((await listed(plain.readAll("*"))).map(({ metadata }) => metadata), [
    {},
    { schemaVersion: "3" },
    { by: "me" },
  ]);
  const error = await failure(v2.read(query));
  assert.equal(error.code, "UnknownVersion");
  assert.equal(
    error.message,
    "event 2 (type OrderPlaced, version 3): this program knows the versions 1 to 2",
  );
});

Deno.test("a version that is no number from 1 is unknown", async () => {
  const { plain, v3 } = releases();
  for (const schemaVersion of ["0", "01", "1.0", "", "x", ["1", "2"]]) {
    await plain.append({ type, metadata: { schemaVersion }, payload: {} });
    const { sequence } = await plain.head();
    assert.equal((await failure(v3.read(query, { after: sequence - 1 }))).code, "UnknownVersion");
  }
});

Deno.test("a failing upcast names the event; with checkReads its result and the old payload must fit", async () => {
  const { v1, plain } = releases();
  await v1.append({ type, payload: { cents: 1 } });
  const place = placeOf(server.address);
  const broken = first.next(withCurrency, () => {
    throw new RangeError("no currency");
  });
  const failed = await failure(new EventStore({ ...place, schemas: { OrderPlaced: broken } }).read(query));
  assert.equal(failed.code, "UpcastFailed");
  assert.match(failed.message, /^event 1 \(type OrderPlaced, version 1\): upcast: RangeError: no currency$/);
  assert.ok(failed.cause instanceof RangeError);
  const untrue = first.next(withCurrency, (old) => old as { cents: number; currency: string });
  const strict = new EventStore({ ...place, schemas: { OrderPlaced: untrue }, checkReads: true });
  const result = await failure(strict.read(query));
  assert.match(result.message, /^event 1 \(type OrderPlaced, version 1\), upcast to 2: payload\.currency: /);
  await plain.append({ type, payload: { cents: "2" } });
  const old = await failure(strict.read(query, { after: 1 }));
  assert.match(old.message, /^event 2 \(type OrderPlaced, version 1\): payload\.cents: /);
});

Deno.test("a write under a key is recognized when an older release has written it", async () => {
  const { v1, v3 } = releases();
  const written = await v1.writeOnce("k", { type, payload: { cents: 1 } });
  const again = await v3.writeOnce("k", { type, payload: NEWEST[0]! });
  assert.deepEqual(again, { ...written, repeated: true });
  const other = v3.writeOnce("k", { type, payload: NEWEST[1]! });
  assert.equal((await failure(other)).code, "DifferentBody");
});

Deno.test("random old payloads come out as if they had been written in the newest version", async () => {
  const random = seededRandom(testSeed());
  const { v1, v2, v3 } = releases();
  const expected: Newest[] = [];
  for (let i = 0; i < 40; i++) {
    const cents = random(1e6) - 5e5;
    const currency = ["EUR", "USD", "\u{20ac}"][random(3)]!;
    const by = ["c1", "c2"][random(2)]!;
    const identifiers = { customer: by };
    const release = random(3);
    if (release === 0) await v1.append({ type, identifiers, payload: { cents } });
    else if (release === 1) await v2.append({ type, identifiers, payload: { cents, currency } });
    else await v3.append({ type, identifiers, payload: { price: { cents, currency }, by } });
    expected.push({ price: { cents, currency: release === 0 ? "EUR" : currency }, by });
  }
  assert.deepEqual(payloads(await listed(v3.readAll(query, { limit: 7 }))), expected);
});
