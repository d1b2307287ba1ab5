import assert from "node:assert/strict";
import { EventStore } from "../../client/mod.ts";
import { type ConsumerProcess, startConsumer } from "../../tests/client/consume/consumer_process.ts";
import { placeOf } from "../../tests/client/support.ts";
import { ChildProcess } from "../child_process.ts";
import { print, table } from "./report.ts";

/*
 * A consumer in three processes, one of which is killed every few seconds and replaced: no effect may be lost,
 * repeated, or out of the order of its key. Each effect is an event and a change of a projection.
 *
 *   deno task campaign:consumers [keys] [events of each key] [seconds between kills, 0: none]
 */

type Events = { Noted: { text: string }; StudentEnrolled: null };

const WRITE_EVENTS = 100;
const PROCESSES = 3;
const OPTIONS = { leaseSeconds: 2, milliseconds: 0 };

const [keys = 100, each = 10_000, killSeconds = 10] = Deno.args.map(Number);
const total = keys * each;

/** Writes the events, whose keys take turns. */
async function fill(store: EventStore<Events>): Promise<void> {
  for (let i = 0; i < total; i += WRITE_EVENTS) {
    const count = Math.min(WRITE_EVENTS, total - i);
    await store.append(Array.from({ length: count }, (_, j) => (
      { type: "Noted", identifiers: { key: `k${(i + j) % keys}` }, payload: { text: "" } } as const
    )));
  }
}

/** Fails unless each event has one effect, in the order of its key. */
async function check(store: EventStore<Events>): Promise<void> {
  const next = new Map<string, number>();
  let effects = 0;
  for await (const { metadata, identifiers } of store.readAll({ types: ["StudentEnrolled"] })) {
    const [key, of] = [String(identifiers["key"]), Number(metadata["of"])];
    const wanted = next.get(key) ?? Number(key.slice(1)) + 1;
    assert.equal(of, wanted, `the next effect of ${key}`);
    next.set(key, wanted + keys);
    effects++;
  }
  assert.equal(effects, total, "effects");
  for (let key = 0; key < keys; key++) {
    assert.equal((await store.projections.get("count", `k${key}`))?.payload, each, `the count of k${key}`);
  }
}

const directory = await Deno.makeTempDir({ prefix: "eventstore_consumers_" });
try {
  const main = new URL("../../main.ts", import.meta.url);
  await using server = new ChildProcess(main, directory, false, `${directory}/data`, {});
  await server.listening();
  const store = new EventStore<Events>(placeOf(server.address));
  await fill(store);
  const start = (): ConsumerProcess => startConsumer(server.address, OPTIONS);
  const begun = performance.now();
  let kills = 0;
  const processes = Array.from({ length: PROCESSES }, start);
  try {
    for (let lastKill = performance.now(); (await store.head()).sequence < 2 * total;) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (!killSeconds || performance.now() - lastKill < 1000 * killSeconds) continue;
      const victim = Math.floor(Math.random() * PROCESSES);
      await processes[victim]![Symbol.asyncDispose]();
      processes[victim] = start();
      kills++;
      lastKill = performance.now();
    }
  } finally {
    for (const process of processes) await process[Symbol.asyncDispose]();
  }
  const seconds = (performance.now() - begun) / 1000;
  await check(store);
  const row = [keys, total, kills, seconds.toFixed(0), (total / seconds).toFixed(0)].map(String);
  print(table(["keys", "events", "kills", "seconds", "events/s"], [row]));
  print("\neach event has had its effects once, in the order of its key\n");
} finally {
  await Deno.remove(directory, { recursive: true });
}
