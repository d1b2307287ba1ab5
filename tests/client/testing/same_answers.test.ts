import assert from "node:assert/strict";
import {
  type EventStore,
  EventStoreError,
  type Position,
  type Query,
  type Tags,
} from "../../../client/mod.ts";
import { memoryStore } from "../../../client/testing/mod.ts";
import { seededRandom, testSeed } from "../../support/test_seed.ts";
import { listed, sharedTestServer, storeOf } from "../support.ts";

/*
 * The same random calls on the store in memory and on the real server must have the same results and errors. Store IDs,
 * times and versions, which are drawn by chance, are compared by their places only.
 */

const CALLS = 1000;
const OTHER_STORE = "00000000-0000-4000-8000-000000000000";
const server = sharedTestServer("tcp", { SERVICE_SUBJECTS: "student" });

type Store = EventStore;
/** A call, for each of the stores. The versions of projections are those of the store. */
type Call = (store: Store, versions: ReadonlyMap<string, string>, storeId: string) => Promise<unknown>;

class Calls {
  readonly #below: (max: number) => number;

  constructor(seed: number) {
    this.#below = seededRandom(seed);
  }

  next(): readonly [name: string, call: Call] {
    const kinds = [this.append, this.append, this.read, this.read, this.readAll, this.project, this.project];
    const rare = [this.writeOnce, this.forget, this.list, this.deleteType, this.wrong, this.get];
    const all = [...kinds, ...rare];
    return all[this.#below(all.length)]!.call(this);
  }

  #one<T>(...values: readonly T[]): T {
    return values[this.#below(values.length)]!;
  }

  #tags(): Tags {
    const tags: Record<string, string | string[]> = {};
    for (let i = this.#below(3); i > 0; i--) {
      const name = this.#one("student", "course", "z", "constructor", "");
      tags[name] = this.#one<string | string[]>("s1", "s2", ["s1"], ["s2", "s1"], "", "\u{1f600}");
    }
    return tags;
  }

  #event() {
    return {
      type: this.#one("A", "B", "C"),
      identifiers: this.#tags(),
      metadata: this.#tags(),
      payload: this.#one<unknown>(null, 1, "text", { deep: [1] }),
    };
  }

  #query(): Query {
    if (this.#below(4) === 0) return "*";
    return Array.from({ length: 1 + this.#below(2) }, () => ({
      ...this.#below(2) === 0 ? { types: [this.#one("A", "B", "C"), "A"] } : {},
      ...this.#below(2) === 0 ? { identifiers: { student: this.#one("s1", "s2") } } : { types: ["B"] },
      ...this.#below(4) === 0 ? { metadata: { course: this.#one("s1", "") } } : {},
    }));
  }

  /** A position, mostly one that exists. */
  #after(): (storeId: string) => Position {
    const [sequence, isOther] = [this.#below(60), this.#below(15) === 0];
    return (storeId) => ({ storeId: isOther ? OTHER_STORE : storeId, sequence });
  }

  append(): [string, Call] {
    const events = Array.from({ length: this.#below(3) }, () => this.#event());
    const conditions = Array.from({ length: this.#below(3) }, () => {
      const [query, after] = [this.#query(), this.#below(4) === 0 ? undefined : this.#after()];
      return (storeId: string) => ({ query, ...after && { after: after(storeId) } });
    });
    return [
      "append",
      (store, _, storeId) => store.append(events, { conditions: conditions.map((one) => one(storeId)) }),
    ];
  }

  read(): [string, Call] {
    const [query, after, limit] = [this.#query(), this.#after(), 1 + this.#below(20)];
    const backwards = this.#below(3) === 0;
    const before = this.#below(3) === 0 ? 1 + this.#below(70) : undefined;
    const range = { limit, backwards, ...before && { before } };
    return ["read", (store, _, storeId) => store.read(query, { ...range, after: after(storeId) })];
  }

  readAll(): [string, Call] {
    const [query, limit] = [this.#query(), 1 + this.#below(5)];
    return ["readAll", (store) => listed(store.readAll(query, { limit }))];
  }

  writeOnce(): [string, Call] {
    const [key, event] = [this.#one("k1", "k2"), this.#event()];
    return ["writeOnce", (store) => store.writeOnce(key, event)];
  }

  forget(): [string, Call] {
    const subject = { name: this.#one("student", "student", "course"), value: this.#one("s1", "s2", "s3") };
    const events = this.#below(2) === 0 ? [this.#event()] : [];
    return ["forget", (store) => store.forget(subject, { events })];
  }

  /** Changes projections, some of which exist, some in a version that is not theirs. */
  project(): [string, Call] {
    const items = Array.from({ length: 1 + this.#below(3) }, () => ({
      type: this.#one("p", "q"),
      id: this.#one("1", "2", "a/b", "\u{1f600}"),
      payload: this.#one<unknown>(1, "x"),
      list: this.#one("create", "replace", "delete"),
      isStale: this.#below(8) === 0,
    }));
    const changes = (versions: ReadonlyMap<string, string>, list: string) =>
      items.filter((item) => item.list === list).map(({ type, id, payload, isStale }) => {
        const version = isStale ? "stale" : versions.get(`${type} ${id}`) ?? "none";
        return { type, id, ...list !== "delete" && { payload }, ...list !== "create" && { version } };
      });
    return ["project", (store, versions) =>
      store.projections.write(
        Object.fromEntries(["create", "replace", "delete"].map((list) => [list, changes(versions, list)])),
      )];
  }

  list(): [string, Call] {
    const options = { limit: 1 + this.#below(3), ...this.#below(2) === 0 && { type: "p" } };
    // The order belongs to the storage.
    return ["list", async (store) => (await listed(store.projections.list(options))).length];
  }

  get(): [string, Call] {
    const [type, id] = [this.#one("p", "q"), this.#one("1", "a/b")];
    return ["get", (store) => store.projections.get(type, id)];
  }

  deleteType(): [string, Call] {
    const type = this.#one("p", "q", "r", "r", "r");
    return ["deleteType", (store) => store.projections.deleteType(type)];
  }

  /** Calls that the server does not accept. */
  wrong(): [string, Call] {
    const tags = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`n${i}`, "v"]));
    const event = { type: "A", payload: null };
    const calls: Call[] = [
      (store) => store.append({ ...event, type: "" }),
      (store) => store.append({ ...event, type: "\ud800" }),
      (store) => store.append([event, { ...event, identifiers: tags }]),
      (store) => store.append({ ...event, metadata: { a: ["1", "1"] } }),
      (store) => store.append({ ...event, metadata: { a: ["1", "\ud800"] } }),
      (store) => store.append({ ...event, payload: "x".repeat(70_000) }),
      (store) => store.append(Array(101).fill(event)),
      (store) => store.append(event, { conditions: Array(101).fill({ query: "*" }) }),
      (store) => store.append(event, { conditions: { query: [] } }),
      (store) => store.append(event, { conditions: { query: [{}] } }),
      (store) => store.append(event, { conditions: { query: { types: Array(101).fill("A") } } }),
      (store) => store.append(event, { conditions: { query: "*", after: { storeId: "", sequence: 1 } } }),
      (store) =>
        store.append(Array(90).fill({ ...event, payload: "x".repeat(60_000) }), {
          projections: {
            create: Array.from({ length: 60 }, (_, i) => create(String(i), "\u20ac".repeat(20_000))),
          },
        }),
      (store) => store.read([{ types: [] }]),
      (store) => store.read(Array.from({ length: 101 }, (_, i) => ({ types: [`T${i}`] }))),
      (store) => store.read("*", { limit: 10_001 }),
      (store) => store.read("*", { limit: 0 }),
      (store) => store.read("*", { limit: 1.5 }),
      (store) => store.read("*", { after: -1 }),
      (store) => store.read("*", { before: 0.5 }),
      (store) => store.read("*", { waitSeconds: 61 }),
      (store) => store.read("*", { waitSeconds: 1, backwards: true }),
      (store) => store.projections.write({ create: [create("1", 1), create("1", 2)] }),
      (store) => store.projections.write({ create: [create("", 1)] }),
      (store) => store.projections.write({ create: [create("1", "x".repeat(70_000))] }),
      (store) => store.projections.write({ replace: [{ ...create("1", 1), version: "" }] }),
      (store) =>
        store.projections.write({ create: Array.from({ length: 501 }, (_, i) => create(String(i), 1)) }),
      (store) => store.forget({ name: "", value: "s1" }),
      (store) => store.forget({ name: "student", value: "s1" }, { events: Array(101).fill(event) }),
      (store) => listed(store.projections.list({ type: "" })),
      (store) => listed(store.projections.list({ limit: 1.5 })),
    ];
    const call = this.#below(calls.length);
    return [`wrong call ${call}`, calls[call]!];
  }
}

function create(id: string, payload: unknown): { type: string; id: string; payload: unknown } {
  return { type: "p", id, payload };
}

/** The result of a call, or its error, without what is drawn by chance. */
async function outcomeOf(work: Promise<unknown>, storeId: string): Promise<string> {
  const result = await work.catch((error) => {
    assert.ok(error instanceof EventStoreError || error instanceof TypeError, String(error?.stack ?? error));
    const { code, status, conflict, outcomeUnknown } = error as EventStoreError;
    return { name: error.name, message: error.message, code, status, conflict, outcomeUnknown };
  });
  return JSON.stringify(result ?? null, null, 1)
    .replaceAll(storeId, "STORE")
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
    .replace(/"version": "[^"]+"/g, '"version": "VERSION"');
}

/** The versions of a store's projections, by type and ID. */
async function versionsOf(store: Store): Promise<Map<string, string>> {
  const all = await listed(store.projections.list());
  return new Map(all.map(({ type, id, version }) => [`${type} ${id}`, version]));
}

Deno.test("random calls have the same results and errors on the store in memory as on the server", async () => {
  const seed = testSeed();
  const calls = new Calls(seed);
  const stores = [storeOf<Record<string, unknown>>(server), memoryStore({ subjects: ["student"] })] as const;
  const kinds = new Set<string>();
  for (let i = 0; i < CALLS; i++) {
    const [name, call] = calls.next();
    const outcomes = await Promise.all(stores.map(async (store) => {
      const versions = name === "project" ? await versionsOf(store) : new Map();
      const { storeId } = await store.head();
      return await outcomeOf(call(store, versions, storeId), storeId);
    }));
    kinds.add(name);
    assert.equal(outcomes[1], outcomes[0], `call ${i} of seed ${seed}: ${name}`);
  }
  assert.ok(kinds.size > 30, `${kinds.size} kinds of calls`);
});
