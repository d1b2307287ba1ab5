import assert from "node:assert/strict";
import type { DecisionModelByType } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { FaultyTransport } from "./faulty_transport.ts";
import { counted } from "./school.ts";
import { note, placeOf, type SchoolEvents, sharedTestServer, storeOf } from "./support.ts";

const server = sharedTestServer();

/** The capacity of a course, less the students. */
const free = (course: string): DecisionModelByType<SchoolEvents, number> => ({
  query: { identifiers: { course } },
  initial: 0,
  on: {
    CourseDefined: (_, { payload }) => payload.capacity,
    StudentEnrolled: (free) => free - 1,
  },
});

Deno.test("a model applies events by their type, and reads only the types that it names", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const store = storeOf(server, { transport });
  await store.append([
    { type: "CourseDefined", identifiers: { course: "c1" }, payload: { capacity: 3 } },
    { type: "StudentEnrolled", identifiers: { course: "c1" }, payload: null },
    note("not read", { course: "c1" }),
  ]);
  transport.requests.length = 0;
  await store.decide({ free: free("c1") }, ({ free }) => assert.equal(free, 2));
  const { query } = JSON.parse(transport.requests[0]!.body!);
  assert.deepEqual(query[0].types, ["CourseDefined", "StudentEnrolled"]);
  const seen: number[] = [];
  await store.decide({ ...free("c1"), query: "*" }, (free) => void seen.push(free));
  const query2 = [{ types: ["StudentEnrolled"], identifiers: { course: "c1" } }, {
    types: ["Noted"],
  }] as const;
  await store.decide({ ...free("c1"), query: query2 }, (free) => void seen.push(free));
  assert.deepEqual(seen, [2, -1]);
});

Deno.test("rows of a read model change by the type of the event", async () => {
  const store = storeOf(server);
  await store.append([note("a", { n: "1" }), {
    type: "StudentEnrolled",
    identifiers: { n: "1" },
    payload: null,
  }]);
  const rows = store.project(crypto.randomUUID(), {
    query: "*",
    key: (event) => event.identifiers["n"],
    initial: () => [] as string[],
    on: {
      Noted: (texts, event, key) => [...texts, event.payload.text, key],
      StudentEnrolled: (texts) => [...texts, "enrolled"],
    },
  });
  assert.deepEqual((await rows.next()).value.rows, new Map([["1", ["a", "1", "enrolled"]]]));
  await rows.return(undefined as never);
});

Deno.test("a model with both apply and on, or with neither, is a TypeError that names it", async () => {
  const store = storeOf(server);
  const model = { query: "*", initial: 0 } as const;
  const message = "needs either apply or on";
  await assert.rejects(store.decide(model, () => {}), new TypeError(`the model ${message}`));
  const both = { ...model, apply: () => 0, on: {} };
  await assert.rejects(store.decide({ both }, () => {}), new TypeError(`the model "both" ${message}`));
});

Deno.test("decide returns the result of the handler whose events were written, though answers are lost", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const store = storeOf(server, { transport });
  for (const fault of ["none", "request lost", "answer lost"] as const) {
    let writes = 0;
    transport.fault = ({ path }) => path === "/write" && ++writes === 1 ? fault : "none";
    const { result, events } = await store.decide(
      counted,
      (count) => ({ events: note(fault), result: count }),
    );
    assert.equal(events[0]!.sequence, result + 1);
  }
  const { result, events } = await store.decide(
    { counted },
    ({ counted }) => ({ result: `${counted} notes` }),
  );
  assert.deepEqual([result, events], ["3 notes", []]);
  assert.equal((await store.decide(counted, () => note("d"))).result, undefined);
});
