import assert from "node:assert/strict";
import { Conflict, type NewEvent, Refused } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { type Fault, FaultyTransport } from "./faulty_transport.ts";
import { note, placeOf, type SchoolEvents, sharedTestServer, storeOf } from "./support.ts";

const server = sharedTestServer();

Deno.test("a repetition gives the result of the first time", async () => {
  const store = storeOf(server);
  const events = [note("1", { a: "x", b: "y" }), note("2")];
  const first = await store.writeOnce("k", events);
  assert.equal(first.repeated, false);
  await store.append(note("3"));
  const second = await store.writeOnce("k", events);
  assert.deepEqual(second, { events: first.events, repeated: true });
  assert.equal((await store.head()).sequence, 3);
  assert.equal((await store.writeOnce("other key", events)).repeated, false);
});

Deno.test("other events under the same key are an error; the same events spelled otherwise are none", async () => {
  const store = storeOf(server);
  const event = { type: "Noted", identifiers: { a: "1", b: ["2", "3"] }, metadata: { m: "4" } } as const;
  const payload = { text: "t" };
  await store.writeOnce("k", { ...event, payload });
  for (
    const same of [
      { ...event, payload },
      { ...event, identifiers: { b: ["2", "3"], a: "1" }, payload },
    ]
  ) assert.equal((await store.writeOnce("k", same)).repeated, true);
  const others: (NewEvent<SchoolEvents> | NewEvent<SchoolEvents>[])[] = [
    { ...event, payload: { text: "u" } },
    { ...event, identifiers: { a: "1" }, payload },
    { ...event, metadata: {}, payload },
    [{ ...event, payload }, { ...event, payload }],
    { ...event, type: "CourseDefined", payload: { capacity: 1 } },
  ];
  for (const other of others) {
    const error = await store.writeOnce("k", other).catch((error) => error);
    assert.ok(error instanceof Refused);
    assert.equal(error.code, "DifferentBody");
  }
  assert.equal((await store.head()).sequence, 1);
  await assert.rejects(store.writeOnce("k", []), TypeError);
});

Deno.test("odd names and values of tags are compared as they are", async () => {
  const store = storeOf(server);
  const pairs = [["a,b", "c"], ["a", "b,c"], ["__proto__", "1"], ["constructor", ["2", "3"]], ["", ""]];
  const event = (text: string, pairs: unknown[][]): NewEvent<SchoolEvents> => ({
    ...note(text),
    identifiers: Object.fromEntries(pairs),
    metadata: Object.fromEntries(pairs),
  });
  for (const key of ["k", "", "\u0000", "__proto__", '"', "\u{1F600}"]) {
    assert.equal((await store.writeOnce(key, event(key, pairs))).repeated, false);
    assert.equal((await store.writeOnce(key, event(key, pairs))).repeated, true, JSON.stringify(key));
    assert.equal((await store.writeOnce(key, event(key, pairs.toReversed()))).repeated, true);
    await assert.rejects(store.writeOnce(key, event(key, pairs.slice(1))), { code: "DifferentBody" });
  }
});

Deno.test("the write happens once, whichever answers are lost", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const store = storeOf(server, { transport });
  const faults: Fault[] = ["request lost", "answer lost", "answer cut"];
  for (const [i, fault] of faults.entries()) {
    let writes = 0;
    transport.fault = ({ path }) => path === "/write" && ++writes === 1 ? fault : "none";
    const { events, repeated } = await store.writeOnce(fault, note(fault));
    assert.deepEqual([events[0]!.sequence, repeated], [i + 1, fault !== "request lost"]);
  }
  assert.equal((await store.head()).sequence, 3);
});

Deno.test("its own conditions count once, and not against itself", async () => {
  const store = storeOf(server);
  const conditions = { query: { types: ["Noted" as const] } };
  assert.equal((await store.writeOnce("k", note("1"), { conditions })).repeated, false);
  assert.equal((await store.writeOnce("k", note("1"), { conditions })).repeated, true);
  const error = await store.writeOnce("other", note("1"), { conditions }).catch((error) => error);
  assert.ok(error instanceof Conflict);
  assert.deepEqual(error.conflict, { condition: 0, sequence: 1 });
});

Deno.test("when twenty callers write under one key at the same time, one writes and all get its result", async () => {
  const store = storeOf(server);
  const results = await Promise.all(Array.from({ length: 20 }, () => store.writeOnce("k", note("1"))));
  assert.equal(results.filter(({ repeated }) => !repeated).length, 1);
  for (const { events } of results) assert.deepEqual(events, results[0]!.events);
  assert.equal((await store.head()).sequence, 1);
});
