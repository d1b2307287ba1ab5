import assert from "node:assert/strict";
import type { StoredSubject } from "../../../src/store/api/store.ts";
import type { ImportBatch } from "../../../src/store/core/import_batch.ts";
import type { PreparedEvent } from "../../../src/store/core/prepare_event.ts";
import { initPostgresStore } from "../../../src/store/postgres/connection/create_store.ts";
import type { PostgresLocation } from "../../../src/store/postgres/connection/address.ts";
import { readStoppedStore } from "../../../src/store/postgres/connection/stopped_store.ts";
import { eventTerms } from "../../../src/store/core/index_terms.ts";
import { parseQueried } from "../../../src/wire/event.ts";
import { newEvent, ofTypes, prepared, storeWrite, tag } from "../../store/made_writes.ts";
import { written } from "../../store/outcomes.ts";
import {
  aboutStudent,
  forgetting,
  linesOf,
  payloadsOf,
  SUBJECTS,
  subjectsOf,
} from "../../store/contract/subject_writes.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { newLocation, openStore } from "./support/shared_stores.ts";

const decoder = new TextDecoder();

/** The events of a stopped store, as an import takes them. */
async function eventsOf(location: PostgresLocation): Promise<PreparedEvent[]> {
  const events: PreparedEvent[] = [];
  await readStoppedStore(location, async (stopped) => {
    for await (const batch of stopped.events()) {
      for (const { timeMicros, body } of batch) {
        const text = typeof body === "string" ? body : decoder.decode(body);
        events.push({ timeMicros, body: text, terms: eventTerms(parseQueried(text)) });
      }
    }
  }, false);
  return events;
}

await clusterTest(
  "a stopped store gives events as they are stored, and a new one takes them so",
  async (cluster) => {
    const [from, to] = [newLocation(cluster), newLocation(cluster)];
    const store = await openStore(from, { subjects: SUBJECTS });
    const events = [
      newEvent("t", [tag("customer", "k"), tag("student", "s1")], "both"),
      newEvent("t", [], "plain"),
    ];
    for (
      const outcome of await store.writer.group([
        aboutStudent("gone", "s2"),
        storeWrite(events),
        forgetting("s2"),
      ])
    ) {
      written(outcome);
    }
    const stored = await linesOf(store.reads, { stored: true });
    const subjects = await subjectsOf(store);
    assert.equal(subjects.filter(({ key }) => key === undefined).length, 1);
    await store.close();
    let found: readonly StoredSubject[] = [];
    await readStoppedStore(from, async (stopped) => {
      found = (await Array.fromAsync(stopped.subjects())).flat();
    }, false);
    assert.deepEqual(found, subjects, "it gives its keys");

    const batches: ImportBatch[] = [{ events: await eventsOf(from), projections: [] }];
    assert.doesNotMatch(JSON.stringify(batches), /both|gone/);
    await initPostgresStore(to, batches);
    await assert.rejects(
      openStore(to),
      /it holds encrypted payloads, but the setting subjects names no identifiers/,
    );
    const moved = await openStore(to, { subjects: SUBJECTS });
    assert.deepEqual(await linesOf(moved.reads, { stored: true }), stored);
    assert.deepEqual(
      await payloadsOf(moved.reads),
      [["student"], ["customer", "student"], "plain"],
      "it has no keys",
    );
    assert.deepEqual(await subjectsOf(moved), []);
    written((await moved.writer.group([aboutStudent("new")]))[0]);
    assert.equal((await payloadsOf(moved.reads)).at(-1), "new");
    await moved.close();
  },
);

await clusterTest("an import without encrypted payloads makes a store as before", async (cluster) => {
  const [from, to] = [newLocation(cluster), newLocation(cluster)];
  const store = await openStore(from);
  written((await store.writer.group([ofTypes("a")]))[0]);
  await store.close();
  await initPostgresStore(to, [{ events: await eventsOf(from), projections: [] }]);
  const sql = `SELECT 1 FROM pg_tables WHERE schemaname = '${to.schema}' AND tablename LIKE 'subject%'`;
  assert.deepEqual(await cluster.sql(sql), []);
  await (await openStore(to)).close();
});

await clusterTest(
  "an import takes the keys of another store without those that were forgotten, and encrypts plain events",
  async (cluster) => {
    const [from, to] = [newLocation(cluster), newLocation(cluster)];
    const store = await openStore(from, { subjects: SUBJECTS });
    for (const outcome of await store.writer.group([aboutStudent("one", "s1"), aboutStudent("two", "s2")])) {
      written(outcome);
    }
    const [one, two] = await subjectsOf(store);
    await store.close();
    const events = await eventsOf(from);

    const forgottenMicros = 1_700_000_000_000_000;
    const plain = prepared(newEvent("t", [tag("student", "s2")], "plain two"), forgottenMicros);
    const others = prepared(newEvent("t", [tag("student", "s1")], "plain one"), forgottenMicros);
    const subjects = [{ ...one!, key: undefined, forgottenMicros }, two!];
    await initPostgresStore(
      to,
      [{ events: [], projections: [], subjects }, { events: [...events, plain, others], projections: [] }],
      SUBJECTS,
    );
    const imported = await openStore(to, { subjects: SUBJECTS });
    assert.deepEqual(await payloadsOf(imported.reads), [["student"], "two", "plain two", "plain one"]);
    assert.doesNotMatch(JSON.stringify(await linesOf(imported.reads, { stored: true })), /plain (one|two)/);
    const found = await subjectsOf(imported);
    assert.deepEqual(found.slice(0, 2), subjects, "the second event of s2 has its old key");
    assert.equal(found.length, 3, "s1 has a new key, since the old one was forgotten");
    const sql = `SELECT 1 FROM "${to.schema}".subject_key WHERE position('\\x${
      one!.key!.toHex()
    }'::bytea IN key) > 0`;
    assert.deepEqual(await cluster.sql(sql), [], "the bytes of the forgotten key are not there");
    await imported.close();
  },
);
