import assert from "node:assert/strict";
import { numberIn, textIn } from "../../../src/store/postgres/protocol/cells.ts";
import { seededRandom, testSeed } from "../../support/test_seed.ts";
import { newEvent, ofTypes, queryOf, storeWrite, tag } from "../../store/made_writes.ts";
import { DONE, kindOf, written } from "../../store/outcomes.ts";
import {
  about,
  aboutStudent,
  forgetting,
  linesOf,
  payloadsOf,
  SUBJECTS,
  subjectsOf,
} from "../../store/contract/subject_writes.ts";
import type { PostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { CuttingProxy } from "./support/cutting_proxy.ts";
import { inTime } from "./support/in_time.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { behind, newLocation, openStore, SharedStores } from "./support/shared_stores.ts";

const FORGOTTEN = ["student"];
const OPTIONS = { subjects: SUBJECTS };

await clusterTest(
  "a server that remembers a key notices that another one has forgotten it",
  async (cluster) => {
    await using shared = await SharedStores.open(cluster, 2, OPTIONS);
    const [first, second] = shared.stores as [PostgresStore, PostgresStore];
    const endings: readonly ((payload: string) => Promise<unknown>)[] = [
      (payload) => first.writer.group([aboutStudent(payload)]),
      (payload) => first.writer.group([ofTypes("plain")], () => [aboutStudent(payload)]),
      async (payload) => {
        await first.writer.begin();
        await first.writer.writeInside(aboutStudent(payload));
        await first.writer.commit();
      },
    ];
    for (const [i, write] of endings.entries()) {
      const payload = `${i}`;
      for (let again = 0; again < 3; again++) written((await first.writer.group([aboutStudent("old")]))[0]);
      written((await second.writer.group([forgetting()]))[0]);
      await write(payload);
      for (const store of shared.stores) {
        const payloads = await payloadsOf(store.reads);
        assert.equal(payloads.at(-1), payload);
        assert.ok(!payloads.includes("old"));
      }
      written((await second.writer.group([forgetting()]))[0]);
      assert.equal(written((await first.writer.group([forgetting()]))[0]).hadKey, false);
    }
  },
);

await clusterTest(
  "several servers share the keys, and each finds at once what another forgets",
  async (cluster) => {
    await using shared = await SharedStores.open(cluster, 3, OPTIONS);
    const { stores, broken } = shared;
    const expected: unknown[] = [];
    for (let round = 0; round < 4; round++) {
      for (const [i, store] of stores.entries()) {
        written((await store.writer.group([aboutStudent(`${round}.${i}`)]))[0]);
        expected.push(`${round}.${i}`);
        for (const other of stores) assert.deepEqual(await payloadsOf(other.reads), expected);
      }
      assert.equal((await subjectsOf(stores[0])).length, round + 1, "one key for all of them");
      const outcomes = await stores[round % 3]!.writer.group([forgetting()]);
      assert.equal(written(outcomes[0]).hadKey, true);
      expected.fill(FORGOTTEN);
      for (const other of stores) assert.deepEqual(await payloadsOf(other.reads), expected);
      const again = await stores[(round + 1) % 3]!.writer.group([forgetting()]);
      assert.equal(written(again[0]).hadKey, false);
    }
    assert.deepEqual(broken, []);
  },
);

await clusterTest("writes and forgetting of several servers at once have one order", async (cluster) => {
  await using shared = await SharedStores.open(cluster, 2, OPTIONS);
  const [first] = shared.stores;
  written((await first.writer.group([aboutStudent("0", "v0"), aboutStudent("0", "v1")]))[0]);
  const work = shared.stores.map(async (store, server) => {
    const random = seededRandom(testSeed() + server);
    for (let round = 0; round < 40; round++) {
      const value = `v${random(2)}`;
      // The type of the event, which is not encrypted, names what was forgotten before it.
      const mark = storeWrite([newEvent("forgotten", [tag("value", value)])]);
      const group = random(3) === 0
        ? [forgetting(value, "student", mark)]
        : [aboutStudent(value, value), aboutStudent(value, `v${random(2)}`)];
      for (const outcome of await store.writer.group(group)) written(outcome);
    }
  });
  await Promise.all(work);
  const lines = await linesOf(first.reads) as unknown as {
    readonly type: string;
    readonly identifiers: Readonly<Record<string, string>>;
    readonly payload: string;
    readonly forgotten?: readonly string[];
  }[];
  const lastForgotten = (value: string): number =>
    lines.findLastIndex(({ type, identifiers }) => type === "forgotten" && identifiers["value"] === value);
  for (const [i, { type, identifiers, payload, forgotten }] of lines.entries()) {
    if (type === "forgotten") continue;
    const isForgotten = i < lastForgotten(identifiers["student"]!);
    assert.deepEqual([payload !== "", forgotten], isForgotten ? [false, FORGOTTEN] : [true, undefined]);
  }
  const keys = (await subjectsOf(first)).filter(({ key }) => key !== undefined);
  assert.ok(keys.length <= 2, "each subject has one key at most");
  assert.deepEqual(shared.broken, []);
});

await clusterTest(
  "writes that join a transaction, with and without questions, find all keys",
  async (cluster) => {
    await using shared = await SharedStores.open(cluster, 1, OPTIONS);
    const [{ writer, reads }] = shared.stores;
    const late = [aboutStudent("c"), ofTypes("plain"), forgetting("s2"), aboutStudent("d", "s2")];
    const outcomes = await writer.group([aboutStudent("a"), aboutStudent("b", "s2")], () => late);
    assert.deepEqual(outcomes.map((outcome) => written(outcome).firstSequence), [1, 2, 3, 4, 5, 5]);
    assert.deepEqual(await payloadsOf(reads), ["a", FORGOTTEN, "c", "", "d"]);
    const unasked = await writer.group([aboutStudent("e")], () => [ofTypes("plain"), ofTypes("plain")]);
    assert.deepEqual(unasked.map((outcome) => written(outcome).firstSequence), [6, 7, 8]);
    const alone = await writer.group([ofTypes("plain")], () => [aboutStudent("f", "s3")]);
    assert.deepEqual(alone.map(kindOf), ["written", "written"]);
    assert.deepEqual((await payloadsOf(reads)).slice(5), ["e", "", "", "", "f"]);
  },
);

await clusterTest(
  "when the answer to the COMMIT of a forgetting is lost, its outcome is determined",
  async (cluster) => {
    await using proxy = new CuttingProxy(cluster.port);
    const location = behind(proxy, newLocation(cluster));
    await (await openStore(location, OPTIONS)).close();
    const store = await openStore(location, OPTIONS);
    for (const lastArrives of [true, false, true, false]) {
      const events = about("new", ["student", "s1"]);
      written((await store.writer.group([aboutStudent("old")]))[0]);
      const before = await payloadsOf(store.reads);
      // A text in the message that also has the COMMIT. In this session, no other statement has prepared it.
      proxy.cutAt("DELETE FROM subject_key", { lastArrives });
      const [outcome] = await store.writer.group([forgetting("s1", "student", events)]);
      if (lastArrives) {
        assert.equal(written(outcome).hadKey, true);
        assert.deepEqual(await payloadsOf(store.reads), [...before.map(() => FORGOTTEN), "new"]);
      } else {
        assert.deepEqual([kindOf(outcome), (outcome as { code?: string }).code], ["failed", "Unavailable"]);
        assert.deepEqual(await payloadsOf(store.reads), before, "nothing of it happened");
      }
    }
    assert.equal(proxy.cuts, 4);
    assert.equal((await payloadsOf(store.reads)).length, 6);
    await store.close();
  },
);

await clusterTest(
  "whatever connections are cut, a forgetting happens whole or not at all",
  async (cluster) => {
    const seed = testSeed();
    const random = seededRandom(seed);
    await using proxy = new CuttingProxy(cluster.port);
    const store = await openStore(behind(proxy, newLocation(cluster)), OPTIONS);
    const texts = [
      "BEGIN",
      "FOR UPDATE",
      "subject",
      "DELETE FROM subject_key",
      "UPDATE subject",
      "INSERT INTO turn",
      "s",
    ];
    let expected: unknown[] = [];
    for (let round = 0; round < 25; round++) {
      written((await store.writer.group([aboutStudent("a")]))[0]);
      expected.push("a");
      proxy.cutAt(texts[random(texts.length)]!, { lastArrives: random(2) === 1 });
      const outcomes = await store.writer.group([aboutStudent("b"), forgetting(), aboutStudent("c")]);
      const [kind, ...others] = new Set(outcomes.map(kindOf));
      assert.deepEqual(others, [], "all of them or none");
      assert.ok(kind === "written" || kind === "failed", `seed ${seed}: ${JSON.stringify(outcomes)}`);
      if (kind === "written") expected = [...expected.map(() => FORGOTTEN), FORGOTTEN, "c"];
      const found = await retried(() => payloadsOf(store.reads));
      assert.deepEqual(found, expected, `seed ${seed}, round ${round}`);
    }
    await store.close();
  },
);

/** A read whose connection is cut fails, and nothing else does. */
async function retried<T>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      assert.match(String(error), /Unavailable/);
    }
  }
}

await clusterTest(
  "no statement scans the whole tables of subjects, whatever PostgreSQL knows",
  async (cluster) => {
    const location = { address: cluster.address(), schema: "plans" };
    const store = await openStore(location, OPTIONS);
    for (let from = 0; from < 2000; from += 100) {
      const events = Array.from(
        { length: 100 },
        (_, i) => newEvent("t", [tag("student", `${from + i}`)], "x"),
      );
      written((await store.writer.group([storeWrite(events)]))[0]);
    }
    // The table of keys is written anew, which scans it.
    written((await store.writer.group([forgetting("3")]))[0]);
    await store.close();
    const again = await openStore(location, OPTIONS);
    await cluster.sql("SELECT pg_stat_reset()");
    written((await again.writer.group([aboutStudent("new", "new"), aboutStudent("old", "1234")]))[0]);
    const ofOne = queryOf([], [tag("student", "1234")]);
    assert.deepEqual(await payloadsOf(again.reads, { query: ofOne }), ["x", "old"]);
    assert.equal((await payloadsOf(again.reads)).length, 2002);
    assert.equal((await subjectsOf(again)).length, 2001);
    written((await again.writer.group([forgetting("3")]))[0]);
    assert.deepEqual(await again.writer.begin(), DONE);
    written(await again.writer.writeInside(forgetting("1999")));
    await again.writer.commit();
    await again.close();
    await inTime(async () => {
      const rows = await cluster.sql(
        `SELECT relname::text, seq_scan, coalesce(idx_scan, 0) FROM pg_stat_user_tables
        WHERE schemaname = 'plans' AND relname IN ('subject', 'subject_key') ORDER BY 1`,
      );
      const scans = rows.map((
        [table, whole, index],
      ) => [textIn(table), numberIn(whole), numberIn(index) > 0]);
      assert.deepEqual(scans, [["subject", 0, true], ["subject_key", 0, true]]);
    });
  },
);
