import assert from "node:assert/strict";
import {
  Conflict,
  ConnectionLost,
  type DecisionModel,
  type EventStore,
  type Transport,
} from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { type Fault, FaultyTransport, ownError, ScriptedTransport } from "./faulty_transport.ts";
import { capacity, courses, students } from "./school.ts";
import { listed, note, placeOf, type SchoolEvents, startTestServer, storeOf } from "./support.ts";

const counted: DecisionModel<SchoolEvents, number> = {
  query: { types: ["Noted"] },
  initial: 0,
  apply: (count) => count + 1,
};

async function texts(store: EventStore<SchoolEvents>): Promise<string[]> {
  const events = await listed(store.readAll({ types: ["Noted"] }));
  return events.map((event) => event.type === "Noted" ? event.payload.text : "");
}

Deno.test("a decision sees the state of one model, or of several by name, and writes", async () => {
  await using server = await startTestServer();
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
  await using server = await startTestServer();
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

Deno.test("it gives up after the configured number of attempts", async () => {
  await using server = await startTestServer();
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
  await using server = await startTestServer();
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

for (const model of ["that sees its own events", "that does not see its own events"] as const) {
  Deno.test(`a decision ${model} writes once, whichever answers are lost`, async () => {
    await using server = await startTestServer();
    const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
    const store = storeOf(server, { transport });
    const query = model === "that sees its own events"
      ? { types: ["Noted" as const] }
      : { types: ["CourseDefined" as const] };
    const faults: Fault[] = ["request lost", "answer lost", "answer cut"];
    for (const [round, fault] of faults.entries()) {
      let writes = 0;
      transport.fault = ({ path }) => path === "/write" && ++writes === 1 ? fault : "none";
      const { events } = await store.decide(
        { ...counted, query },
        () => [note(`${round}`), note(`${round}`)],
      );
      assert.deepEqual(events.map(({ sequence }) => sequence), [2 * round + 1, 2 * round + 2]);
      assert.equal(writes, fault === "request lost" ? 2 : 1);
    }
    assert.deepEqual(await texts(store), ["0", "0", "1", "1", "2", "2"]);
  });

  Deno.test(`a decision ${model} writes once, though the lost request arrives later than the next`, async () => {
    await using server = await startTestServer();
    const real = fetchTransport(placeOf(server.address).url!);
    const transport = new FaultyTransport(real);
    const query = model === "that sees its own events"
      ? { types: ["Noted" as const] }
      : { types: ["CourseDefined" as const] };
    for (const when of ["before the second read", "before the second write", "at the end"]) {
      await server.client().reset();
      transport.requests.length = 0;
      transport.fault = async (request) => {
        const late = { ...transport.requests[1]!, signal: new AbortController().signal };
        const arrive = async (): Promise<void> => void await (await real.send(late)).text();
        if (transport.requests.length === 2) return "request lost";
        if (transport.requests.length === 3 && when === "before the second read") await arrive();
        if (request.path === "/write" && when === "before the second write") await arrive();
        return "none";
      };
      const { events } = await storeOf(server, { transport }).decide(
        { ...counted, query },
        () => note("once"),
      );
      if (when === "at the end") {
        await (await real.send({ ...transport.requests[1]!, signal: new AbortController().signal })).text();
      }
      assert.deepEqual(events.map(({ sequence }) => sequence), [1], when);
      assert.deepEqual(await texts(storeOf(server)), ["once"], when);
    }
  });
}

Deno.test("when every answer is lost, the last error says that the outcome is unknown", async () => {
  await using server = await startTestServer();
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  transport.fault = ({ path }) => path === "/write" ? "request lost" : "none";
  const deciding = storeOf(server, { transport }).decide(counted, () => note("1"), { attempts: 2 });
  await assert.rejects(deciding, (error) => error instanceof ConnectionLost && error.outcomeUnknown);
});

Deno.test("after a lost write, the outcome is unknown as long as the store cannot be read", async () => {
  await using server = await startTestServer();
  const real = fetchTransport(placeOf(server.address).url!);
  const transport = new FaultyTransport(real);
  transport.fault = async ({ path }) => {
    const number = transport.requests.length;
    if (number === 2) return "request lost";
    // The lost write arrives before the second attempt, which is a conflict then. After that, every read fails.
    if (number === 4) {
      const late = { ...transport.requests[1]!, signal: new AbortController().signal };
      await (await real.send(late)).text();
    }
    return path === "/events" && number > 4 ? "request lost" : "none";
  };
  const deciding = storeOf(server, { transport, retrySeconds: 0.05 }).decide(counted, () => note("1"));
  await assert.rejects(deciding, (error) => error instanceof ConnectionLost && error.outcomeUnknown);
  assert.deepEqual(await texts(storeOf(server)), ["1"]);
});

Deno.test("after a lost write the outcome is unknown, whatever the server says next", async () => {
  await using server = await startTestServer();
  const real = fetchTransport(placeOf(server.address).url!);
  for (const path of ["/events", "/write"]) {
    for (const [status, code] of [[503, "ShuttingDown"], [401, "Unauthorized"]] as const) {
      await server.client().reset();
      let writes = 0;
      const transport: Transport = {
        async send(request) {
          if (writes > 0 && request.path === path) {
            return await new ScriptedTransport(ownError(status, code)).send(request);
          }
          if (request.path !== "/write") return await real.send(request);
          writes++;
          if (path === "/events") await (await real.send(request)).text();
          throw new Error("lost");
        },
      };
      const deciding = storeOf(server, { transport, retrySeconds: 0 }).decide(counted, () => note("1"));
      await assert.rejects(deciding, (error) => error instanceof ConnectionLost && error.outcomeUnknown);
    }
  }
});

Deno.test("a decision whose write was lost stands while there are no new events, whatever the handler would return now", async () => {
  await using server = await startTestServer();
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  let writes = 0;
  transport.fault = ({ path }) => path === "/write" && ++writes === 1 ? "request lost" : "none";
  let decisions = 0;
  const once = await storeOf(server, { transport }).decide(
    counted,
    () => ++decisions === 1 ? note("1") : undefined,
  );
  assert.deepEqual([once.events.length, decisions, writes], [1, 1, 2]);
});

Deno.test("a handler that returns nothing the second time writes nothing, though a lost request arrives later", async () => {
  await using server = await startTestServer();
  const real = fetchTransport(placeOf(server.address).url!);
  const transport = new FaultyTransport(real);
  transport.fault = async ({ path }) => {
    if (path !== "/write") return "none";
    await storeOf(server).append(note("faster"));
    return "request lost";
  };
  const { events } = await storeOf(server, { transport }).decide(
    counted,
    (count) => count === 0 ? note("first") : undefined,
  );
  const late = transport.requests.find(({ path }) => path === "/write")!;
  await (await real.send({ ...late, signal: new AbortController().signal })).text();
  assert.deepEqual([events, await texts(storeOf(server))], [[], ["faster"]]);
});

Deno.test("a reset while it decides starts it anew", async () => {
  await using server = await startTestServer();
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
  await using server = await startTestServer();
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
