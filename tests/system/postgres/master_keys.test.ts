import assert from "node:assert/strict";
import type { PostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { FIRST, FIRST_ID, SECOND, SECOND_ID, wrapped } from "../../store/contract/master_keys.ts";
import { aboutStudent, forgetting, payloadsOf, SUBJECTS } from "../../store/contract/subject_writes.ts";
import { written } from "../../store/outcomes.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { newLocation, openStore } from "./support/shared_stores.ts";

/* Several servers of one store while its master key changes, as docs/privacy_postgres.md says. */

const allWrapped = (keys: number): string =>
  `all keys of subjects (${keys}) are wrapped with the master key ${SECOND_ID}; earlier ones can be removed`;

async function write(store: PostgresStore, payload: string, student: string): Promise<void> {
  written((await store.writer.group([aboutStudent(payload, student)]))[0]);
}

await clusterTest(
  "servers whose master keys have different orders share a store, until all have the same",
  async (cluster) => {
    const location = newLocation(cluster);
    const open = (...masterKeys: string[]): Promise<PostgresStore> =>
      openStore(location, { subjects: SUBJECTS, masterKeys });
    const before = await open(FIRST, SECOND);
    await write(before, "a", "s1");
    const after = await open(SECOND, FIRST);
    assert.equal(await wrapped(after), allWrapped(1));
    await write(before, "b", "s2");
    await write(after, "c", "s3");
    await write(before, "d", "s3");
    await write(after, "e", "s2");
    await write(before, "f", "s1");
    for (const { reads } of [before, after]) {
      assert.deepEqual(await payloadsOf(reads), ["a", "b", "c", "d", "e", "f"]);
    }
    written((await before.writer.group([forgetting("s3")]))[0]);
    const payloads = ["a", "b", ["student"], ["student"], "e", "f"];
    for (const { reads } of [before, after]) assert.deepEqual(await payloadsOf(reads), payloads);
    const lacks = new RegExp(`the store in schema .* wrapped with the master key ${FIRST_ID}, which neither`);
    await assert.rejects(open(SECOND), lacks, "the key of s2 needs the earlier one");
    await before.close();
    const again = await open(SECOND, FIRST);
    assert.equal(await wrapped(again), allWrapped(2));
    const last = await open(SECOND);
    for (const store of [again, after, last]) {
      assert.deepEqual(await payloadsOf(store.reads), payloads);
      await store.close();
    }
  },
);

await clusterTest("a server that lacks a new master key says so, and loses nothing", async (cluster) => {
  const location = newLocation(cluster);
  const old = await openStore(location, { subjects: SUBJECTS, masterKeys: [FIRST] });
  await write(old, "a", "s1");
  const other = await openStore(location, { subjects: SUBJECTS, masterKeys: [SECOND, FIRST] });
  await wrapped(other);
  await write(other, "b", "s2");
  const lacks = new RegExp(`keys of its subjects are wrapped with the master key ${SECOND_ID}`);
  await assert.rejects(payloadsOf(old.reads), { code: "Unavailable", message: lacks });
  const [outcome] = await old.writer.group([aboutStudent("not written", "s2")]);
  assert.equal(outcome!.kind, "failed");
  await write(old, "c", "s3");
  assert.deepEqual(await payloadsOf(other.reads), ["a", "b", "c"]);
  await old.close();
  await other.close();
});

await clusterTest(
  "a server that was killed before it has rewritten the table leaves it to the next one",
  async (cluster) => {
    const location = newLocation(cluster);
    const options = { subjects: SUBJECTS, masterKeys: [SECOND] };
    const first = await openStore(location, options);
    await write(first, "a", "s1");
    await first.close();
    const file = `SELECT pg_relation_filenode('${location.schema}.subject_key')::text`;
    const [before] = await cluster.sql(file);
    await cluster.sql(`UPDATE ${location.schema}.subject_change SET must_rewrite = true`);
    const second = await openStore(location, options);
    assert.equal(await wrapped(second), allWrapped(1));
    const [after] = await cluster.sql(file);
    assert.notDeepEqual(after, before);
    await second.close();
  },
);
