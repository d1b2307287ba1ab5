import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import {
  type EventStore,
  EventStoreError,
  type ProjectedRows,
  Refused,
  type RowModel,
} from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { inDirectory } from "../support/directory.ts";
import { startServer } from "../support/server_process.ts";
import { type Fault, FaultyTransport } from "./faulty_transport.ts";
import { listed, note, placeOf, type SchoolEvents, sharedTestServer, storeOf } from "./support.ts";

const server = sharedTestServer();

type Texts = readonly string[];

/** The texts of each course and student, so that a repetition or a gap shows. An empty text ends a row. */
const texts: RowModel<SchoolEvents, Texts> = {
  query: { types: ["Noted"] },
  key: ({ identifiers }) => [...Object.values(identifiers)].flat(),
  initial: [],
  apply: (texts, event) => {
    const { text } = event.payload as SchoolEvents["Noted"];
    return text === "" ? undefined : [...texts, text];
  },
};

type Rows = AsyncGenerator<ProjectedRows<Texts>, never>;

/** Runs a projector until it has applied this many events, and ends it. */
async function until(rows: Rows, sequence: number): Promise<void> {
  for await (const { checkpoint } of rows) if (checkpoint.sequence >= sequence) return;
}

/** All rows as they are stored, by key. */
async function stored(store: EventStore<SchoolEvents>, type = "texts"): Promise<Record<string, Texts>> {
  const found: Record<string, Texts> = {};
  for await (const { id } of store.projections.list({ type })) {
    if (id !== "_checkpoint") found[id] = (await store.projections.get<Texts>(type, id))!.payload;
  }
  return found;
}

Deno.test("a projector with a key has a row for each key, written with the checkpoint, and continues from there", async () => {
  const store = storeOf(server);
  await store.append([
    note("1", { course: "c1", student: "s/1" }),
    note("2", { course: "c2" }),
    note("no key"),
    note("3", { course: "c1" }),
  ]);
  const rows = store.project("texts", texts);
  const { storeId } = await store.head();
  const checkpoint = { storeId, sequence: 4 };
  assert.deepEqual((await rows.next()).value, {
    rows: new Map([["c1", ["1", "3"]], ["s/1", ["1"]], ["c2", ["2"]]]),
    checkpoint,
  });
  await rows.return(undefined as never);
  assert.deepEqual(await stored(store), { c1: ["1", "3"], "s/1": ["1"], c2: ["2"] });
  assert.deepEqual((await store.projections.get("texts", "_checkpoint"))?.payload, { checkpoint });

  const again = store.project("texts", texts);
  assert.deepEqual((await again.next()).value, { rows: new Map(), checkpoint });
  await store.append([note("", { course: "c1" }), note("4", { course: "c2", student: "s2" })]);
  assert.deepEqual(
    (await again.next()).value.rows,
    new Map([["c1", undefined], ["c2", ["2", "4"]], ["s2", ["4"]]]),
  );
  await store.append(note("5", { course: "c1" }));
  assert.deepEqual((await again.next()).value.rows, new Map([["c1", ["5"]]]));
  await again.return(undefined as never);
  assert.deepEqual(await stored(store), { c1: ["5"], "s/1": ["1"], c2: ["2", "4"], s2: ["4"] });
});

Deno.test("the state of a row may be any JSON value, also with text payloads", async () => {
  for (const payload of ["json", "text"] as const) {
    const store = storeOf(server, { payload });
    const last: RowModel<SchoolEvents, string | null> = {
      query: "*",
      key: ({ identifiers }) => identifiers["course"],
      initial: null,
      apply: (state, { sequence }) => `${state === null} at ${sequence}`,
    };
    for (let run = 1; run <= 2; run++) {
      const { position } = await storeOf(server).append(note("", { course: "c1" }));
      const rows = store.project(payload, last);
      for await (const { checkpoint } of rows) if (checkpoint.sequence === position!.sequence) break;
      await rows.return(undefined as never);
    }
    assert.match((await store.projections.get<string>(payload, "c1"))!.payload, /^"?false at \d+"?$/);
  }
});

Deno.test("a batch that changes many rows is written in several writes, each with its checkpoint", async () => {
  const store = storeOf(server);
  await store.append(Array.from({ length: 100 }, (_, i) => note("1", { course: `c${i}`, student: `s${i}` })));
  await store.append(Array.from({ length: 50 }, (_, i) => note("2", { course: `c${i}` })));
  const found: [number, number][] = [];
  for await (const { rows, checkpoint } of store.project("texts", texts)) {
    found.push([checkpoint.sequence, rows.size]);
    if (checkpoint.sequence === 150) break;
  }
  assert.deepEqual(found, [[50, 100], [100, 100], [150, 50]]);
  assert.equal((await listed(store.projections.list({ type: "texts" }))).length, 201);
  assert.deepEqual((await stored(store))["c49"], ["1", "2"]);
});

Deno.test("a row that is too large ends its projector with an error that names both, and so does one state", async () => {
  const store = storeOf(server);
  await store.append([note("1", { course: "c1" }), note("x".repeat(40_000), { course: "c2" })]);
  await store.append(note("y".repeat(40_000), { course: "c2" }));
  const tooLarge = async (run: Promise<unknown>, message: RegExp): Promise<void> =>
    void await assert.rejects(run, (error) => error instanceof Refused && message.test(error.message));
  await tooLarge(
    until(store.project("texts", texts), 9),
    /^projector "texts": row "c2" is 8\d+ bytes, more than maxPro/,
  );
  const { query, apply } = texts;
  const one = store.project("all", {
    query,
    initial: [],
    apply: (all: Texts, event) => apply(all, event, "") ?? [],
  });
  await tooLarge(
    (async () => await Array.fromAsync(one))(),
    /^projector "all": its state is 8\d+ bytes, more than maxPro/,
  );
});

Deno.test("a projector with a key does not take rows that are not its own", async () => {
  const store = storeOf(server);
  await store.append(note("1", { course: "c1" }));
  await store.projections.write({ create: [{ type: "texts", id: "mine", payload: 1 }] });
  await assert.rejects(until(store.project("texts", texts), 1), (error) => {
    assert.ok(error instanceof EventStoreError);
    assert.match(error.message, /^projector "texts": there is a projection of this type already, "mine"/);
    return error.code === "NameInUse";
  });
  const model = { ...texts, key: () => "_checkpoint" };
  await assert.rejects(
    until(store.project("other", model), 1),
    new TypeError('a row cannot have the key "_checkpoint"'),
  );
  const dots = { ...texts, key: () => ".." };
  await assert.rejects(until(store.project("dots", dots), 1), new TypeError('no path can hold ".."'));
  const written = await Array.fromAsync(store.projections.list({ type: "dots" }));
  assert.deepEqual(written, []);
});

Deno.test("rows begin anew when their type is deleted, and after a reset", async () => {
  const store = storeOf(server);
  await store.append([note("1", { course: "c1" }), note("2", { course: "c2" })]);
  const rows = store.project("texts", texts, { waitSeconds: 1 });
  const next = async (): Promise<unknown> => (await rows.next()).value.rows;
  await next();
  await store.projections.deleteType("texts");
  await store.append(note("3", { course: "c2" }));
  assert.deepEqual(await next(), new Map([["c1", ["1"]], ["c2", ["2", "3"]]]));
  await server.client().reset();
  await store.append(note("4", { course: "c2" }));
  assert.deepEqual(await next(), new Map([["c2", ["4"]]]));
  await rows.return(undefined as never);
  assert.deepEqual(await stored(store), { c2: ["4"] });
});

Deno.test("rows of a history that is gone are deleted, also those that the new history does not have", async () => {
  await inDirectory(async (directory) => {
    const env = { SERVICE_DATA_DIR: directory };
    const first = await startServer({ listen: "tcp", env });
    await storeOf(first).append([note("1", { course: "c1" }), note("2", { course: "c2" })]);
    await until(storeOf(first).project("texts", texts), 2);
    await first.stop();
    // As after a failover in which PostgreSQL may have lost events: another ID, and the projections are there.
    const db = new DatabaseSync(join(directory, "events.db"));
    db.exec(
      "DELETE FROM event WHERE sequence = 2; UPDATE store SET id = '7c9e6679-7425-40de-944b-e07fc1f90ae7'",
    );
    db.close();
    const second = await startServer({ listen: "tcp", env });
    const store = storeOf(second);
    await store.append(note("3", { course: "c3" }));
    const { storeId } = await store.head();
    for await (const { checkpoint } of store.project("texts", texts)) {
      if (checkpoint.storeId === storeId) break;
    }
    assert.deepEqual(await stored(store), { c1: ["1"], c3: ["3"] });
    await second.stop();
  });
});

Deno.test("two copies with rows, each of which loses answers, apply every event exactly once", async () => {
  const store = storeOf(server);
  const total = 60;
  const copy = async (offset: number): Promise<void> => {
    const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
    let requests = offset;
    transport.fault = () =>
      (["none", "answer lost", "none", "none", "request lost", "none", "none"] as const)[
        requests++ % 7
      ] as Fault;
    const options = { limit: 3, waitSeconds: 1 };
    await until(storeOf(server, { transport }).project("texts", texts, options), total);
  };
  const copies = [copy(0), copy(3)];
  for (let i = 0; i < total; i++) await store.append(note(String(i), { course: `c${i % 7}`, all: "all" }));
  await Promise.all(copies);
  const found = await stored(store);
  assert.deepEqual(found["all"], Array.from({ length: total }, (_, i) => String(i)));
  assert.deepEqual(found["c3"], ["3", "10", "17", "24", "31", "38", "45", "52", "59"]);
});
