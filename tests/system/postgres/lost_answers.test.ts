import assert from "node:assert/strict";
import { TransactionCounts } from "../../../src/store/core/transaction_counts.ts";
import { allTypesOf, EVERYTHING, typesOf } from "../../store/chunks.ts";
import { changing, ofTypes } from "../../store/made_writes.ts";
import { DONE, kindOf, written } from "../../store/outcomes.ts";
import { CuttingProxy } from "./support/cutting_proxy.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { behind, newLocation, openStore } from "./support/shared_stores.ts";
import { seededRandom, testSeed } from "../../support/test_seed.ts";

const ROUNDS = 30;

await clusterTest(
  "when the answer to a COMMIT is lost, the server determines its outcome",
  async (cluster) => {
    await using proxy = new CuttingProxy(cluster.port);
    const location = behind(proxy, newLocation(cluster));
    // Creating the store also adds a row to `turn`. In this session the statement would already be prepared.
    await (await openStore(location)).close();
    const store = await openStore(location);
    const expected: string[] = [];
    // A text in the message that also has the COMMIT.
    const text = "INSERT INTO turn";
    for (const lastArrives of [true, false, true, false]) {
      // A prepared statement is sent without its text: only a new connection sends the text again.
      const type = `t${expected.length}`;
      proxy.cutAt(text, { lastArrives });
      const [outcome] = await store.writer.group([ofTypes(type)]);
      assert.equal(kindOf(outcome), lastArrives ? "written" : "failed", JSON.stringify(outcome));
      if (lastArrives) expected.push(type);
      else assert.equal((outcome as { code?: string }).code, "Unavailable");
      assert.deepEqual(typesOf(await store.reads.chunk(EVERYTHING)), expected);
    }
    assert.equal(proxy.cuts, 4);
    assert.deepEqual(store.counts.failed, { ...new TransactionCounts().failed, connection: 2 });
    for (const lastArrives of [true, false]) {
      assert.deepEqual(await store.writer.begin(), DONE);
      written(await store.writer.writeInside(ofTypes("inside")));
      proxy.cutAt(text, { lastArrives });
      const { kind } = await store.writer.commit();
      assert.equal(kind, lastArrives ? "done" : "failed");
      if (lastArrives) expected.push("inside");
      assert.deepEqual(typesOf(await store.reads.chunk(EVERYTHING)), expected);
    }
    assert.deepEqual(await store.writer.begin(), DONE);
    proxy.cutAt("projection", { lastArrives: true });
    const read = store.writer.readProjectionInside({ type: "p", id: "1" });
    await assert.rejects(read, { name: "ApiError", code: "Unavailable" });
    proxy.cutAt(text, { lastArrives: true });
    const reset = await store.writer.reset();
    assert.deepEqual(reset, DONE);
    assert.equal(written((await store.writer.group([ofTypes("anew")]))[0]).firstSequence, 1);
    await store.close();
  },
);

await clusterTest(
  "whatever connections are cut, what was acknowledged is there, once, and what failed is not",
  async (cluster) => {
    const seed = testSeed();
    const random = seededRandom(seed);
    await using proxy = new CuttingProxy(cluster.port);
    const store = await openStore(behind(proxy, newLocation(cluster)));
    const texts = [
      "BEGIN",
      "FOR UPDATE",
      "INSERT INTO event ",
      "INSERT INTO event_term",
      "INSERT INTO turn",
      "s",
    ];
    const expected: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      proxy.cutAt(texts[random(texts.length)]!, { lastArrives: random(2) === 1 });
      const types = Array.from({ length: 1 + random(4) }, (_, i) => `${round}.${i}`);
      const create = [{ type: "p", id: String(round), payload: "x" }];
      const writes = [...types.map((type) => ofTypes(type)), changing({ create })];
      const outcomes = await store.writer.group(writes);
      const kinds = new Set(outcomes.map(kindOf));
      assert.equal(kinds.size, 1, "all of them or none");
      const isWritten = kinds.has("written");
      assert.ok(isWritten || kinds.has("failed"), `seed ${seed}: ${JSON.stringify(outcomes)}`);
      if (isWritten) expected.push(...types);
      const key = { type: "p", id: String(round) };
      const { projection } = await retried(() => store.reads.projection(key));
      assert.equal(projection !== undefined, isWritten, `seed ${seed}, round ${round}`);
    }
    const { head } = await retried(() => store.reads.chunk({ ...EVERYTHING, limit: 1 }));
    assert.equal(head, expected.length, "no sequence is missing");
    assert.deepEqual(await retried(() => allTypesOf(store.reads)), expected, `seed ${seed}`);
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
