import assert from "node:assert/strict";
import type { DecisionModel, Projected } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { eventually } from "../support/eventually.ts";
import { type Fault, FaultyTransport } from "./faulty_transport.ts";
import { startProjector } from "./projector_process.ts";
import { note, placeOf, type SchoolEvents, sharedTestServer, storeOf } from "./support.ts";

const server = sharedTestServer();

/** The sequences of the applied events in order, so that a repetition or a gap shows. */
const applied: DecisionModel<SchoolEvents, readonly number[]> = {
  query: { types: ["Noted"] },
  initial: [],
  apply: (sequences, event) => [...sequences, event.sequence],
};

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

type Stored = Projected<readonly number[]>;

Deno.test("a projector stores the state with its checkpoint, and continues from there", async () => {
  const store = storeOf(server);
  await store.append([note("1"), note("2")]);
  const projecting = store.project("seats of /all", applied);
  const { storeId } = await store.head();
  const first = (await projecting.next()).value;
  assert.deepEqual(first, { state: [1, 2], checkpoint: { storeId, sequence: 2 } });
  assert.deepEqual((await store.projections.get("projector", "seats of /all"))?.payload, first);
  await store.append(note("3"));
  assert.deepEqual((await projecting.next()).value.state, [1, 2, 3]);
  await projecting.return(undefined as never);
  const again = store.project("seats of /all", applied);
  assert.deepEqual((await again.next()).value.state, [1, 2, 3]);
  await store.append(note("4"));
  assert.deepEqual((await again.next()).value.state, [1, 2, 3, 4]);
  await again.return(undefined as never);
});

Deno.test("a projector begins anew after a reset; text payloads are no matter", async () => {
  const text = storeOf<Record<string, string>>(server, { payload: "text" });
  await text.append([{ type: "Noted", payload: "not JSON" }, { type: "Noted", payload: "" }]);
  const model = applied as unknown as DecisionModel<Record<string, string>, readonly number[]>;
  const projecting = text.project("p", model, { waitSeconds: 1 });
  assert.deepEqual((await projecting.next()).value.state, [1, 2]);
  await server.client().reset();
  await text.append({ type: "Noted", payload: "" });
  const { storeId } = await text.head();
  assert.deepEqual((await projecting.next()).value, { state: [1], checkpoint: { storeId, sequence: 1 } });
  await projecting.return(undefined as never);
});

Deno.test("after resets a projector continues from the state that another copy has stored, and does not begin anew", async () => {
  const store = storeOf(server);
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const projecting = storeOf(server, { transport }).project("p", applied, { limit: 1, waitSeconds: 1 });
  const next = async (): Promise<readonly number[]> => (await projecting.next()).value.state;
  await store.append(note("1"));
  assert.deepEqual(await next(), [1]);
  await server.client().reset();
  await store.append([note("1"), note("2")]);
  assert.deepEqual(await next(), [1]);
  transport.fault = async ({ path }): Promise<Fault> => {
    if (path !== "/write") return "none";
    transport.fault = () => "none";
    await server.client().reset();
    await store.append([note("1"), note("2"), note("3")]);
    const other = store.project("p", applied);
    assert.deepEqual((await other.next()).value.state, [1, 2, 3]);
    await other.return(undefined as never);
    return "none";
  };
  assert.deepEqual(await next(), [1, 2, 3]);
  await projecting.return(undefined as never);
});

Deno.test("two copies, each of which loses answers, apply every event exactly once", async () => {
  const store = storeOf(server);
  const total = 60;
  const copy = async (offset: number): Promise<void> => {
    const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
    let requests = offset;
    transport.fault = () =>
      (["none", "answer lost", "none", "request lost", "none"] as const)[requests++ % 5]!;
    for await (
      const { state } of storeOf(server, { transport }).project("p", applied, { limit: 3, waitSeconds: 1 })
    ) {
      assert.deepEqual(state, numbers(state.length));
      if (state.length === total) return;
    }
  };
  const copies = [copy(0), copy(2)];
  for (let i = 0; i < total; i += 2) await store.append([note("x"), note("y")]);
  await Promise.all(copies);
  assert.deepEqual((await store.projections.get<Stored>("projector", "p"))?.payload.state, numbers(total));
});

Deno.test("two processes, killed at any moment over and over, apply every event exactly once", async () => {
  const store = storeOf(server);
  const [kills, perRound] = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? [40, 50] : [3, 20];
  const stored = async (): Promise<readonly number[]> =>
    (await store.projections.get<Stored>("projector", "p"))?.payload.state ?? [];
  const projectors = [startProjector(server.address), startProjector(server.address)];
  using _ = { [Symbol.dispose]: () => projectors.forEach((projector) => projector.kill()) };
  for (let round = 1; round <= kills; round++) {
    const writing = (async () => {
      for (let i = 0; i < perRound; i++) await store.append(note(""));
    })();
    const enough = round * perRound - Math.ceil(perRound / 2);
    await eventually(async () => assert.ok((await stored()).length >= enough), 30);
    projectors.shift()!.kill();
    projectors.push(startProjector(server.address));
    await writing;
  }
  await eventually(async () => assert.equal((await stored()).length, kills * perRound), 30);
  for (const projector of projectors.splice(0)) projector.kill();
  assert.deepEqual(await stored(), numbers(kills * perRound));
});
