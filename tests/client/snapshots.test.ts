import assert from "node:assert/strict";
import type { EventStore, Projection, SnapshotOptions } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { eventually } from "../support/eventually.ts";
import { FaultyTransport } from "./faulty_transport.ts";
import { listed, note, placeOf, type SchoolEvents, sharedTestServer, storeOf } from "./support.ts";

const server = sharedTestServer();

/** The texts of the notes of an account, with a snapshot after every two. */
function notesOf(account: string, options: Partial<SnapshotOptions> = {}) {
  return {
    query: { types: ["Noted"], identifiers: { account } },
    initial: [] as string[],
    on: { Noted: (texts: string[], { payload }: { payload: { text: string } }) => [...texts, payload.text] },
    snapshot: { name: "notes", every: 2, ...options },
  } as const;
}

interface Stored {
  model: string;
  storeId: string;
  sequence: number;
  time: string;
  state: string[];
}

/** The only snapshot in the store, as soon as it ends with this sequence. */
async function snapshotAt(store: EventStore<SchoolEvents>, sequence: number) {
  let snapshot: Projection<Stored> & { readonly type: string; readonly id: string };
  await eventually(async () => {
    const [found] = await listed(store.projections.list({ type: "snapshot notes" }));
    const stored = found && await store.projections.get<Stored>(found.type, found.id);
    assert.equal(stored?.payload.sequence, sequence);
    snapshot = { type: found!.type, id: found!.id, ...stored! };
  });
  return snapshot!;
}

async function decideOn(
  store: EventStore<SchoolEvents>,
  account: string,
  options?: Partial<SnapshotOptions>,
) {
  const { result } = await store.decide(notesOf(account, options), (texts) => ({ result: texts }), {
    attempts: 1,
  });
  return result;
}

/** A store whose transport records the requests. */
function recorded() {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const reads = () =>
    transport.requests.filter(({ method }) => method === "QUERY").map(({ body }) =>
      JSON.parse(body!).afterSequence
    );
  return { transport, store: storeOf(server, { transport }), reads };
}

const ofA = (text: string) => note(text, { account: "a" });

Deno.test("a decision begins with the snapshot, and reads its last event and those after it", async () => {
  const { store, reads } = recorded();
  await store.append([ofA("1"), note("other"), ofA("2"), note("other")]);
  assert.deepEqual(await decideOn(store, "a"), ["1", "2"]);
  await snapshotAt(store, 3);
  await store.append(ofA("3"));
  assert.deepEqual(await decideOn(store, "a"), ["1", "2", "3"]);
  await store.append(ofA("4"));
  assert.deepEqual(await decideOn(store, "a"), ["1", "2", "3", "4"]);
  await snapshotAt(store, 6);
  assert.deepEqual(await decideOn(store, "a"), ["1", "2", "3", "4"]);
  assert.deepEqual(reads(), [0, 2, 2, 5]);
});

Deno.test("a snapshot of another version, or of another query, is void", async () => {
  const { store, reads } = recorded();
  await store.append([ofA("1"), ofA("2"), note("1", { account: "b" })]);
  await decideOn(store, "a", { version: 1 });
  await snapshotAt(store, 2);
  assert.deepEqual(await decideOn(store, "b"), ["1"]);
  assert.deepEqual(await decideOn(store, "a", { version: "1" }), ["1", "2"]);
  await eventually(async () => {
    const { payload } = await snapshotAt(store, 2);
    assert.match(payload.model, /"1"/);
  });
  assert.deepEqual(await decideOn(store, "a", { version: "1" }), ["1", "2"]);
  assert.deepEqual(reads(), [0, 0, 0, 1]);
});

Deno.test("a snapshot that does not belong to the history of the store is void, even with a single attempt", async () => {
  const { store } = recorded();
  await store.append([ofA("1"), ofA("2")]);
  await decideOn(store, "a");
  const { payload, ...at } = await snapshotAt(store, 2);
  let { version } = at;
  const wrong = [
    { ...payload, storeId: crypto.randomUUID() },
    { ...payload, sequence: 1000 },
    { ...payload, time: "2026-01-01T00:00:00.000000Z" },
  ];
  for (const changed of wrong) {
    const state = ["wrong"];
    const changes = { replace: [{ ...at, version, payload: { ...changed, state } }] };
    await store.projections.write(changes);
    assert.deepEqual(await decideOn(store, "a"), ["1", "2"], JSON.stringify(changed));
    await eventually(async () => {
      const repaired = await snapshotAt(store, 2);
      assert.deepEqual(repaired.payload, payload);
      ({ version } = repaired);
    });
  }
});

Deno.test("a reset during a decision makes the snapshot void", async () => {
  const { store } = recorded();
  await store.append([ofA("1"), ofA("2")]);
  await decideOn(store, "a");
  await snapshotAt(store, 2);
  const seen: string[][] = [];
  await store.decide(notesOf("a"), async (texts) => {
    seen.push([...texts]);
    texts.push("changed by the handler");
    if (seen.length > 1) return;
    await server.client().reset();
    await storeOf(server).append([ofA("3"), ofA("4"), ofA("5")]);
    return ofA("6");
  });
  assert.deepEqual(seen, [["1", "2"], ["3", "4", "5"]]);
  assert.deepEqual(await listed(store.projections.list()), []);
  await decideOn(store, "a");
  assert.deepEqual((await snapshotAt(store, 3)).payload.state, ["3", "4", "5"]);
});

Deno.test("a decision stands though its snapshot cannot be read or written, and reports why", async () => {
  const { store, transport } = recorded();
  for (let i = 0; i < 2; i++) await store.append(ofA("x".repeat(40_000)));
  const errors: string[] = [];
  const onError = (error: unknown): void => void errors.push((error as Error).message);
  const isWrite = (body: string | undefined): boolean => body?.includes("snapshot notes") ?? false;
  for (const fault of ["none", "request lost"] as const) {
    transport.fault = ({ path, body }) => path.startsWith("/projections") || isWrite(body) ? fault : "none";
    assert.equal((await decideOn(store, "a", { onError })).length, 2);
  }
  await eventually(() => assert.equal(errors.length, 3));
  assert.equal(errors.filter((message) => message === "the request is lost").length, 2);
  assert.match(
    errors.find((message) => message !== "the request is lost")!,
    /^projections\.create\[0\].*bytes/,
  );
  assert.deepEqual(await listed(storeOf(server).projections.list()), []);
});

Deno.test("a model whose snapshots cannot work is a TypeError that names it", async () => {
  const store = storeOf(server);
  const decide = (change: object) =>
    store.decide({ account: { ...notesOf("a"), ...change } }, ({ account }) => void account);
  const wrong = [
    [{ snapshot: { name: "", every: 1 } }, "snapshot.name is empty"],
    [{ snapshot: { name: "n", every: 0.5 } }, "snapshot.every is 0.5: give a whole number from 1"],
    [{ initial: () => new Map() }, "a state with snapshots must be plain JSON, and initial is not"],
    [{ initial: { at: new Date() } }, "a state with snapshots must be plain JSON, and initial is not"],
    [{ initial: [NaN] }, "a state with snapshots must be plain JSON, and initial is not"],
  ] as const;
  for (const [change, message] of wrong) {
    await assert.rejects(decide(change), new TypeError(`the model "account": ${message}`));
  }
});

Deno.test("in a store with text payloads, snapshots are JSON text", async () => {
  const store = storeOf<Record<string, string>>(server, { payload: "text" });
  await store.append([{ type: "Noted", payload: "a" }, { type: "Noted", payload: "b" }]);
  const snapshot = { name: "notes", every: 2 };
  const model = {
    query: "*",
    initial: "",
    apply: (all: string, { payload }: { payload: string }) => all + payload,
  } as const;
  const decide = () => store.decide({ ...model, snapshot }, (all) => ({ result: all }));
  assert.equal((await decide()).result, "ab");
  await eventually(async () => assert.equal((await listed(store.projections.list())).length, 1));
  assert.equal((await decide()).result, "ab");
});
