import assert from "node:assert/strict";
import { type Followed, Refused, StoreReset } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { eventually, pause } from "../support/eventually.ts";
import { readsInFlight } from "../support/waiting_read.ts";
import { FaultyTransport } from "./faulty_transport.ts";
import { IN_MEMORY, listed, note, placeOf, type SchoolEvents, sharedTestServer, storeOf } from "./support.ts";

const servers = { tcp: sharedTestServer(), unix: sharedTestServer("unix") };
const server = servers.tcp;

const noted = { types: ["Noted" as const] };

function sequencesOf({ events }: Followed<SchoolEvents>): number[] {
  return events.map(({ sequence }) => sequence);
}

for (const listen of ["tcp", "unix"] as const) {
  const name = `${listen}: it gives the stored events, then new ones, and continues from a checkpoint`;
  Deno.test({ name, ignore: IN_MEMORY }, async () => {
    const server = servers[listen];
    const store = storeOf(server);
    await store.append([note("1"), note("2")]);
    const { storeId } = await store.head();
    const following = store.follow("*");
    const first = (await following.next()).value;
    assert.deepEqual(sequencesOf(first), [1, 2]);
    assert.deepEqual(first.checkpoint, { storeId, sequence: 2 });
    const second = following.next();
    await eventually(async () => assert.equal((await readsInFlight(server.client())).waiting, 1));
    await store.append(note("3"));
    assert.deepEqual(sequencesOf((await second).value), [3]);
    await following.return(undefined as never);
    const resumed = store.follow("*", { from: JSON.parse(JSON.stringify(first.checkpoint)) });
    assert.deepEqual(sequencesOf((await resumed.next()).value), [3]);
    await resumed.return(undefined as never);
    await eventually(async () => assert.equal((await readsInFlight(server.client())).httpOpen, 0));
  });
}

Deno.test("the checkpoint moves on although nothing matches, and the signal ends it", async () => {
  const store = storeOf(server);
  await store.append([note("1"), { type: "StudentEnrolled", payload: null }]);
  const controller = new AbortController();
  const following = store.follow({ types: ["StudentEnrolled"] }, {
    waitSeconds: 1,
    signal: controller.signal,
  });
  assert.deepEqual(sequencesOf((await following.next()).value), [2]);
  await store.append([note("3"), note("4")]);
  const next = (await following.next()).value;
  assert.deepEqual([next.events, next.checkpoint.sequence, next.isReset], [[], 4, false]);
  const last = following.next();
  controller.abort(new Error("enough"));
  await assert.rejects(last, /enough/);
});

Deno.test("a read that the server answers at once is not repeated without a pause", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const values = Array.from({ length: 21 }, (_, i) => String(i));
  // No event has so many identifiers.
  const controller = new AbortController();
  const options = { signal: controller.signal };
  const next = storeOf(server, { transport }).follow({ identifiers: { n: values } }, options).next();
  await pause(500);
  assert.ok(transport.requests.length < 20, String(transport.requests.length));
  controller.abort(new Error("enough"));
  await assert.rejects(next, /enough/);
});

Deno.test("a reset is an error, or with onReset a new beginning that is reported", async () => {
  const store = storeOf(server);
  const { position } = await store.append([note("1"), note("2")]);
  const failing = store.follow("*", { waitSeconds: 1 });
  const restarting = store.follow("*", { onReset: "restart", waitSeconds: 1 });
  for (const following of [failing, restarting]) {
    assert.deepEqual(sequencesOf((await following.next()).value), [1, 2]);
  }
  await server.client().reset();
  await assert.rejects(
    failing.next(),
    (error) => error instanceof StoreReset && error.position.sequence === 2,
  );
  const { storeId } = await store.head();
  assert.deepEqual((await restarting.next()).value, {
    events: [],
    checkpoint: { storeId, sequence: 0 },
    isReset: true,
  });
  await store.append(note("new"));
  const next = (await restarting.next()).value;
  assert.deepEqual([sequencesOf(next), next.isReset], [[1], false]);
  await assert.rejects(store.follow("*", { from: position! }).next(), StoreReset);
  await restarting.return(undefined as never);
});

Deno.test("an error that does not pass by itself ends it", async () => {
  await assert.rejects(storeOf(server).follow([]).next(), Refused);
});

Deno.test({
  name: "with writers, kills, restarts and answers that break off, nothing is lost, repeated or out of order",
  ignore: IN_MEMORY,
}, async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  let requests = 0;
  transport.fault = () =>
    (["none", "answer cut", "none", "answer lost", "request lost"] as const)[requests++ % 5]!;
  const store = storeOf(server);
  const total = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 5000 : 160;
  const received: number[] = [];
  const checkpoints: number[] = [];
  const following = (async () => {
    for await (const page of storeOf(server, { transport }).follow(noted, { limit: 7 })) {
      received.push(...sequencesOf(page));
      checkpoints.push(page.checkpoint.sequence);
      if (page.events.some((event) => event.type === "Noted" && event.payload.text === "the end")) return;
    }
  })();
  const write = async (writer: number): Promise<void> => {
    for (let i = 0; i < total / 4; i++) {
      await store.writeOnce(
        `${writer}.${i}`,
        i % 5 === 0 ? { type: "StudentEnrolled", payload: null } : note(""),
      );
    }
  };
  const writers = Promise.all([0, 1, 2, 3].map(write));
  for (let round = 0; round < 3; round++) {
    await eventually(async () => assert.ok((await store.head()).sequence >= (round + 1) * total / 5), 30);
    if (round === 1) await server.restart();
    else {
      await server.kill();
      await server.start();
    }
  }
  await writers;
  await store.writeOnce("end", note("the end"));
  await following;
  const written = (await server.client().allEvents([{ types: ["Noted"] }])).map(({ sequence }) => sequence);
  assert.deepEqual(received, written);
  assert.deepEqual(checkpoints, [...checkpoints].sort((a, b) => a - b));
  assert.equal((await store.head()).sequence, total + 1);
});

Deno.test("a position that was never saved is null, as JSON.parse returns it: follow and reads begin at 0", async () => {
  const store = storeOf(server);
  await store.append([note("1"), note("2")]);
  const never = JSON.parse("null");
  assert.deepEqual(sequencesOf((await store.follow("*", { from: never }).next()).value), [1, 2]);
  assert.equal((await store.read("*", { after: never, before: never })).events.length, 2);
  assert.equal((await listed(store.readAll("*", { after: never }))).length, 2);
});
