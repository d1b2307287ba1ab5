import assert from "node:assert/strict";
import { Conflict } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { FaultyTransport } from "./faulty_transport.ts";
import { capacity, counted, courses, students, texts } from "./school.ts";
import { note, placeOf, sharedTestServer, storeOf } from "./support.ts";
import { enrolTogether } from "./enrolments.ts";

const server = sharedTestServer();

Deno.test("a decision sees the state of one model, or of several by name, and writes", async () => {
  const store = storeOf(server);
  await store.append({ type: "CourseDefined", identifiers: { course: "c1" }, payload: { capacity: 2 } });
  const enrol = async (student: string) =>
    await store.decide(
      { capacity: capacity("c1"), students: students("c1"), courses: courses(student) },
      ({ capacity = 0, students, courses }) => {
        if (students.length >= capacity) throw new RangeError(`full: ${students}`);
        assert.equal(courses, 0);
        return { type: "StudentEnrolled", identifiers: { course: "c1", student }, payload: null };
      },
    );
  const { events, position } = await enrol("s1");
  assert.deepEqual([events.map(({ sequence }) => sequence), position], [[2], {
    storeId: (await store.head()).storeId,
    sequence: 2,
  }]);
  await enrol("s2");
  await assert.rejects(enrol("s3"), new RangeError("full: s1,s2"));
  const nothing = await store.decide(counted, (count) => void assert.equal(count, 0));
  assert.deepEqual([nothing.events, nothing.position.sequence], [[], 3]);
  const several = await store.decide(counted, (count) => [note(String(count)), note("b")]);
  assert.equal(several.events.length, 2);
  assert.deepEqual(await texts(store), ["0", "b"]);
});

Deno.test("on a conflict it reads on from its position, and decides again", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const store = storeOf(server, { transport });
  await store.append([note("a"), note("b")]);
  transport.requests.length = 0;
  const seen: number[] = [];
  await store.decide(counted, async (count) => {
    seen.push(count);
    if (seen.length <= 2) {
      await storeOf(server).append([note("x", { n: "1" }), { type: "StudentEnrolled", payload: null }]);
    }
    return note(String(count));
  });
  assert.deepEqual(seen, [2, 3, 4]);
  const reads = transport.requests.filter(({ method }) => method === "QUERY").map(({ body }) =>
    JSON.parse(body!)
  );
  assert.deepEqual(reads.map(({ afterSequence }) => afterSequence), [0, 2, 4]);
  assert.deepEqual(await texts(store), ["a", "b", "x", "x", "4"]);
});

Deno.test("each use of a model begins with its own initial state, even if apply changes it", async () => {
  const store = storeOf(server);
  await store.append(note("a"));
  const apply = (state: { texts: string[] }): { texts: string[] } => {
    state.texts.push("applied");
    return state;
  };
  const query = { types: ["Noted" as const] };
  for (const initial of [{ texts: [] }, () => ({ texts: [] })]) {
    for (let use = 0; use < 3; use++) {
      await store.decide({ query, initial, apply }, ({ texts }) => assert.deepEqual(texts, ["applied"]));
      const projecting = store.project(crypto.randomUUID(), { query, initial, apply });
      assert.deepEqual((await projecting.next()).value.state, { texts: ["applied"] });
      await projecting.return(undefined as never);
    }
  }
});

Deno.test("an initial state is copied in depth, whatever it consists of", async () => {
  const initial = {
    list: [{ names: ["a"] }],
    map: new Map([["a", [1]]]),
    set: new Set(["a"]),
    at: new Date(0),
    bytes: new Uint8Array([1]),
    none: null,
    missing: undefined,
    count: 0,
  };
  const model = { query: { types: ["Noted" as const] }, initial, apply: (state: typeof initial) => state };
  await storeOf(server).decide(model, (state) => {
    assert.deepEqual(state, initial);
    for (const [name, part] of Object.entries(initial)) {
      if (Object(part) === part) assert.notEqual(state[name as keyof typeof state], part);
    }
    assert.notEqual(state.list[0]!.names, initial.list[0]!.names);
    assert.notEqual(state.map.get("a"), initial.map.get("a"));
  });
});

Deno.test("an initial state that cannot be copied is a TypeError, unless a function returns it", async () => {
  class Sum {
    of = 0;
  }
  const store = storeOf(server);
  for (const initial of [new Sum(), [new Sum()], { sum: new Sum() }, { add: () => 0 }]) {
    const model = { query: "*" as const, apply: (state: unknown) => state };
    await assert.rejects(
      store.decide({ ...model, initial }, () => {}),
      new TypeError("initial cannot be copied: give a function that returns it"),
    );
    await store.decide({ ...model, initial: () => initial }, (state) => assert.equal(state, initial));
  }
});

Deno.test("it gives up after the configured number of attempts", async () => {
  const store = storeOf(server);
  let decisions = 0;
  const decide = store.decide(counted, async () => {
    decisions++;
    await store.append(note("faster"));
    return note("late");
  }, { attempts: 3 });
  await assert.rejects(decide, Conflict);
  assert.equal(decisions, 3);
  assert.equal(await texts(store).then((all) => all.includes("late")), false);
});

Deno.test("an event that does not matter to the decision is no conflict", async () => {
  const store = storeOf(server);
  let decisions = 0;
  await store.decide(students("c1"), async () => {
    decisions++;
    await store.append([note("1"), {
      type: "StudentEnrolled",
      identifiers: { course: "c2" },
      payload: null,
    }]);
    return { type: "StudentEnrolled", identifiers: { course: "c1", student: "s1" }, payload: null };
  });
  assert.equal(decisions, 1);
});

Deno.test("a reset while it decides starts it anew", async () => {
  const store = storeOf(server);
  await store.append([note("old"), note("old")]);
  const seen: number[] = [];
  await store.decide(counted, async (count) => {
    seen.push(count);
    if (seen.length === 1) {
      await server.client().reset();
      await store.append(note("new"));
    }
    return note(String(count));
  });
  assert.deepEqual(seen, [2, 1]);
  assert.deepEqual(await texts(store), ["new", "1"]);
});

Deno.test("a signal ends a decision, and other errors are not tried again", async () => {
  const store = storeOf(server);
  const controller = new AbortController();
  const deciding = store.decide(counted, () => {
    controller.abort(new Error("enough"));
    return note("1");
  }, { signal: controller.signal });
  await assert.rejects(deciding, /enough/);
  let decisions = 0;
  await assert.rejects(store.decide(counted, () => (decisions++, note("x".repeat(70_000)))), /maxEventSize/);
  assert.equal(decisions, 1);
  assert.equal((await store.head()).sequence, 0);
});

const IS_LONG = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1";

const CLIENTS = 20;
const DECISIONS = IS_LONG ? 10_000 : 200;

Deno.test(`${CLIENTS} clients with ${DECISIONS} decisions on five courses break no rule, and none is rejected while there is a seat`, async () => {
  await enrolTogether({
    stores: Array.from({ length: CLIENTS }, () => storeOf(server)),
    seats: DECISIONS / 20,
    students: DECISIONS / 5,
    isOver: (decisions) => decisions >= DECISIONS / CLIENTS,
  });
});
