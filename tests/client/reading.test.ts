import assert from "node:assert/strict";
import { ConnectionLost, type EventStore, EventStoreError, StoreReset } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { eventually } from "../support/eventually.ts";
import { readsInFlight } from "../support/waiting_read.ts";
import { FaultyTransport } from "./faulty_transport.ts";
import { IN_MEMORY, listed, note, placeOf, sharedTestServer, storeOf } from "./support.ts";

const env = { SERVICE_MAX_EVENTS_PER_WRITE: "1000" };
const servers = { tcp: sharedTestServer("tcp", env), unix: sharedTestServer("unix", env) };
const server = servers.tcp;

const notes = (count: number) =>
  Array.from({ length: count }, (_, i) => note(String(i + 1), { n: String(i % 3) }));
const texts = (events: readonly { readonly type: string; readonly payload: unknown }[]): string[] =>
  events.map(({ payload }) => (payload as { text: string }).text);

for (const listen of ["tcp", "unix"] as const) {
  Deno.test(`${listen}: a page has its events, the head, and the position that may be saved`, async () => {
    const store = storeOf(servers[listen]);
    const empty = await store.read("*");
    const { storeId } = empty;
    assert.deepEqual(empty, {
      events: [],
      hasMore: false,
      head: { storeId, sequence: 0 },
      storeId,
      position: { storeId, sequence: 0 },
    });
    await store.append({
      type: "CourseDefined",
      identifiers: { course: "c1", room: ["r1", "r2"] },
      metadata: { by: "me" },
      payload: { capacity: 3 },
    });
    await store.append(notes(4));
    const { events: [defined], ...rest } = await store.read({ types: ["CourseDefined"] });
    assert.deepEqual(rest, {
      hasMore: false,
      head: { storeId, sequence: 5 },
      storeId,
      position: { storeId, sequence: 5 },
    });
    assert.deepEqual({ ...defined, time: "" }, {
      sequence: 1,
      time: "",
      type: "CourseDefined",
      identifiers: { course: "c1", room: ["r1", "r2"] },
      metadata: { by: "me" },
      payload: { capacity: 3 },
    });
    const first = await store.read({ types: ["Noted"] }, { limit: 2 });
    assert.deepEqual([texts(first.events), first.hasMore, first.position.sequence], [["1", "2"], true, 3]);
    const rest2 = await store.read({ types: ["Noted"] }, { after: first.position });
    assert.deepEqual([texts(rest2.events), rest2.hasMore, rest2.position.sequence], [["3", "4"], false, 5]);
    const before = await store.read("*", { after: 1, before: 4 });
    assert.deepEqual([texts(before.events), before.hasMore, before.position.sequence], [
      ["1", "2"],
      false,
      3,
    ]);
    const beyond = await store.read("*", { after: 9 });
    assert.deepEqual([beyond.events, beyond.position.sequence], [[], 9]);
    const last = await store.read({ types: ["Noted"] }, { backwards: true, limit: 1 });
    assert.deepEqual([texts(last.events), last.hasMore, last.head.sequence], [["4"], true, 5]);
    assert.ok(!("position" in last));
    assert.deepEqual(await store.head(), { storeId, sequence: 5 });
  });

  Deno.test(`${listen}: a query may have items, several identifiers and metadata`, async () => {
    const store = storeOf(servers[listen]);
    await store.append([
      { type: "Noted", identifiers: { a: ["1", "2"] }, payload: { text: "both" } },
      { type: "Noted", identifiers: { a: "1" }, metadata: { m: "x" }, payload: { text: "one" } },
      { type: "CourseDefined", identifiers: { a: "3" }, payload: { capacity: 1 } },
    ]);
    const sequences = async (query: Parameters<typeof store.read>[0]) =>
      (await store.read(query)).events.map(({ sequence }) => sequence);
    assert.deepEqual(await sequences({ identifiers: { a: "1" } }), [1, 2]);
    assert.deepEqual(await sequences({ identifiers: { a: ["2", "1"] } }), [1]);
    assert.deepEqual(await sequences([{ metadata: { m: "x" } }, { types: ["CourseDefined"] }]), [2, 3]);
    assert.deepEqual(await sequences({ types: ["Noted"], identifiers: { a: "1" }, metadata: { m: "x" } }), [
      2,
    ]);
  });

  Deno.test(`${listen}: readAll gives every event once and in order, over as many pages as it takes`, async () => {
    const store = storeOf(servers[listen]);
    await store.append(notes(1000));
    const all = Array.from({ length: 1000 }, (_, i) => String(i + 1));
    assert.deepEqual(texts(await listed(store.readAll("*"))), all);
    assert.deepEqual(texts(await listed(store.readAll("*", { limit: 300 }))), all);
    assert.deepEqual(
      texts(await listed(store.readAll("*", { limit: 300, backwards: true }))),
      all.toReversed(),
    );
    const some = await listed(
      store.readAll({ identifiers: { n: "1" } }, { after: 10, before: 20, limit: 1 }),
    );
    assert.deepEqual(texts(some), ["11", "14", "17"]);
  });
}

Deno.test("readAll ends at the end that the store had at its first page, whatever is written meanwhile", async () => {
  const store = storeOf(server);
  await store.append(notes(3));
  const copied: string[] = [];
  for await (const event of store.readAll({ types: ["Noted"] }, { limit: 2 })) {
    copied.push(...texts([event]));
    assert.ok(copied.length <= 3, "it reads its own copies");
    await store.append(note(copied.at(-1)!));
  }
  assert.deepEqual(copied, ["1", "2", "3"]);
});

Deno.test("readAll continues after the last complete event when answers break off", async () => {
  await storeOf(server).append(notes(100));
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const store = storeOf(server, { transport });
  const all = Array.from({ length: 100 }, (_, i) => String(i + 1));
  for (const options of [{}, { backwards: true }]) {
    transport.requests.length = 0;
    // Every other answer.
    transport.fault = () => transport.requests.length % 2 === 1 ? "answer cut" : "none";
    const events = texts(await listed(store.readAll("*", { ...options, limit: 20 })));
    assert.deepEqual(events, options.backwards ? all.toReversed() : all);
    assert.ok(transport.requests.length >= 6, String(transport.requests.length));
  }
});

Deno.test("a read is repeated while the server cannot be reached, and fails in the end", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const store = storeOf(server, { transport, retrySeconds: 0.05 });
  let faults: ("request lost" | "answer lost" | "answer cut")[] = [
    "request lost",
    "answer lost",
    "answer cut",
  ];
  transport.fault = () => faults.shift() ?? "none";
  const patient = storeOf(server, { transport });
  assert.deepEqual((await patient.read("*")).events, []);
  assert.equal(transport.requests.length, 4);
  transport.fault = () => "request lost";
  faults = [];
  const error = await store.head().catch((error) => error);
  assert.ok(error instanceof ConnectionLost);
  assert.equal(error.outcomeUnknown, false);
  assert.equal((error.cause as Error).message, "the request is lost");
});

Deno.test("a position of another store is an error of its own", async () => {
  const store = storeOf(server);
  const { position } = await store.append(notes(10));
  const reading = store.readAll("*", { limit: 2 });
  assert.equal((await reading.next()).value?.sequence, 1);
  await server.client().reset();
  const { storeId } = await store.head();
  for (
    const read of [
      () => store.read("*", { after: position! }),
      () => store.read("*", { before: position! }),
      () => listed(store.readAll("*", { after: position! })),
      () => listed(reading),
    ]
  ) {
    const error = await read().catch((error) => error);
    assert.ok(error instanceof StoreReset, String(error));
    assert.equal(error.position.storeId, position!.storeId);
    assert.equal(error.storeId, storeId);
  }
});

Deno.test("payloads are any JSON, or any text", async () => {
  const json = storeOf<Record<string, unknown>>(server);
  const text = storeOf<Record<string, string>>(server, { payload: "text" });
  const values = [null, 0, "", "text", [1, [2]], { a: { b: null }, "\u0000": "\u{1F600}" }];
  await json.append(values.map((payload) => ({ type: "t", payload })));
  assert.deepEqual((await json.read("*")).events.map(({ payload }) => payload), values);
  assert.deepEqual(
    (await text.read("*")).events.map(({ payload }) => payload),
    values.map((value) => JSON.stringify(value)),
  );
  await text.append({ type: "t", payload: "not JSON" });
  const error = await json.read("*").catch((error) => error);
  assert.ok(error instanceof EventStoreError);
  assert.equal(error.code, "PayloadNotJson");
  assert.match(
    error.message,
    /payload of event 7 is not JSON \(type t\): the option notJson can skip it or return its text$/,
  );
});

Deno.test("a payload that is not JSON stops no reader that leaves it out or takes the text", async () => {
  const text = storeOf<Record<string, string>>(server, { payload: "text" });
  await text.append([
    { type: "Noted", identifiers: { n: "1" }, payload: "1" },
    { type: "Noted", payload: "not JSON" },
  ]);
  const model = {
    query: { types: ["Noted"] },
    initial: [],
    apply: (payloads: readonly unknown[], { payload }: { payload: unknown }) => [...payloads, payload],
  };
  /** The payloads that each kind of reader gets. */
  const payloadsOf = async (store: EventStore): Promise<unknown[]> => {
    const [followed, projected] = [store.follow("*"), store.project(crypto.randomUUID(), model)];
    let decided: readonly unknown[] = [];
    await store.decide(model, (payloads) => void (decided = payloads));
    const all = [
      (await store.read("*")).events.map(({ payload }) => payload),
      (await listed(store.readAll("*"))).map(({ payload }) => payload),
      (await followed.next()).value.events.map(({ payload }) => payload),
      (await projected.next()).value.state,
      decided,
    ];
    await Promise.all([followed.return(undefined as never), projected.return(undefined as never)]);
    return all;
  };
  assert.deepEqual(await payloadsOf(storeOf(server, { notJson: "text" })), Array(5).fill([1, "not JSON"]));
  const told: unknown[] = [];
  const leaving = storeOf<Record<string, unknown>>(server, {
    notJson: ({ sequence, type, payload }) => void told.push([sequence, type, payload]),
  });
  assert.deepEqual(await payloadsOf(leaving), Array(5).fill([1]));
  assert.deepEqual(told, Array(5).fill([2, "Noted", "not JSON"]));
  assert.equal((await leaving.read({ types: ["Noted"] }, { limit: 1, after: 1 })).position.sequence, 2);
});

for (const listen of ["tcp", "unix"] as const) {
  const name = `${listen}: a caller that stops reading leaves no read open`;
  Deno.test({ name, ignore: IN_MEMORY }, async () => {
    const server = servers[listen];
    const store = storeOf<Record<string, string>>(server);
    const large = { type: "t", payload: "x".repeat(60_000) };
    for (let i = 0; i < 3; i++) await store.append(Array.from({ length: 100 }, () => large));
    for await (const event of store.readAll("*")) {
      if (event.sequence === 2) break;
    }
    await eventually(async () => assert.equal((await readsInFlight(server.client())).httpOpen, 0));
    // The result is the same when the client may use an old connection again.
    for (let i = 0; i < 10; i++) await store.head();
    const controller = new AbortController();
    const waiting = store.read({ types: ["none"] }, { waitSeconds: 60, signal: controller.signal });
    await eventually(async () => assert.equal((await readsInFlight(server.client())).waiting, 1));
    controller.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
    await eventually(async () => assert.equal((await readsInFlight(server.client())).httpOpen, 0));
    await assert.rejects(store.head({ signal: AbortSignal.abort(new Error("before")) }), /before/);
  });
}
