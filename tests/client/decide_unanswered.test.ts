import assert from "node:assert/strict";
import { ConnectionLost, type Transport } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { type Fault, FaultyTransport, ownError, ScriptedTransport } from "./faulty_transport.ts";
import { counted, texts } from "./school.ts";
import { note, placeOf, sharedTestServer, storeOf } from "./support.ts";

const server = sharedTestServer();

for (const model of ["that sees its own events", "that does not see its own events"] as const) {
  Deno.test(`a decision ${model} writes once, whichever answers are lost`, async () => {
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
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  transport.fault = ({ path }) => path === "/write" ? "request lost" : "none";
  const deciding = storeOf(server, { transport }).decide(counted, () => note("1"), { attempts: 2 });
  await assert.rejects(deciding, (error) => error instanceof ConnectionLost && error.outcomeUnknown);
});

Deno.test("after a lost write, the outcome is unknown as long as the store cannot be read", async () => {
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
