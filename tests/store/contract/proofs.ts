import assert from "node:assert/strict";
import { hash as digestOf } from "node:crypto";
import { Semaphore } from "../../../src/async/semaphore.ts";
import type { Store } from "../../../src/store/api/store.ts";
import { throwIfFailed } from "../../../src/store/api/outcome.ts";
import {
  type ConsistencyDocument,
  type InclusionDocument,
  Proofs,
} from "../../../src/store/core/proof/proofs.ts";
import { isConsistent, rootOfInclusion } from "../../../src/model/merkle_proof.ts";
import { GrowingTree, TreeHash, type TreeState } from "../../../src/model/merkle_tree.ts";
import { eventually } from "../../support/eventually.ts";
import { seededRandom, testSeed } from "../../support/test_seed.ts";
import { EVERYTHING } from "../chunks.ts";
import { newEvent, storeWrite } from "../made_writes.ts";
import type { StoreTest } from "./store_test.ts";

const hash = new TreeHash((bytes) => digestOf("sha256", bytes, "hex"));
const encoder = new TextEncoder();

/** A writer takes one call at a time. In the server, the write queue sees to that. */
const turns = new Semaphore(1);

/** Proofs of a store, until the end of `run`. */
async function withProofs(store: Store, run: (proofs: Proofs) => Promise<void>): Promise<void> {
  const proofs = new Proofs(
    store,
    async (write) => (await turns.pass(() => store.writer.group([write])))[0] as never,
  );
  try {
    await run(proofs);
  } finally {
    await proofs.close();
  }
}

async function append(store: Store, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 500) {
    const events = Array.from(
      { length: Math.min(left, 500) },
      (_, i) => newEvent("t", [], `\u00e4${left}.${i}`),
    );
    throwIfFailed((await turns.pass(() => store.writer.group([storeWrite(events)])))[0]!);
  }
}

/** The lines of all events, without line feeds. */
async function linesOf(store: Store): Promise<string[]> {
  const lines: string[] = [];
  while (true) {
    const request = { ...EVERYTHING, stored: true, afterSequence: lines.length };
    const chunk = await store.reads.chunk(request);
    lines.push(...new TextDecoder().decode(chunk.lines).split("\n").slice(0, -1));
    if (chunk.end !== false) return lines;
  }
}

/** The root over the first lines, without any block. */
function rootOf(lines: readonly string[], head: number): string {
  const tree = new GrowingTree(hash);
  for (const line of lines.slice(0, head)) tree.add(hash.leaf(encoder.encode(line)));
  return tree.root;
}

function flipped(digest: string, bit: number): string {
  const bytes = Uint8Array.fromHex(digest);
  bytes[bit >> 3]! ^= 1 << (bit % 8);
  return bytes.toHex();
}

/** The saved roots of the first page; undefined when there is none. */
async function savedIn(
  store: Store,
): Promise<{ readonly store: string; readonly roots: string[]; readonly last: TreeState } | undefined> {
  const { projection } = await store.reads.projection({ type: "", id: "roots/0" });
  return projection && JSON.parse(new TextDecoder().decode(projection.payload));
}

/** The Merkle tree over the events of a store. */
export function contractOfProofs(test: StoreTest): void {
  randomProofs(test);
  savedRoots(test);
}

function randomProofs(test: StoreTest): void {
  test("proofs for random events and heads verify, and with one changed bit they do not", async (store) => {
    const random = seededRandom(testSeed());
    const upTo = (max: number): number => random(max + 1);
    await withProofs(store, async (proofs) => {
      const empty = { storeId: store.storeId, head: 0, root: hash.empty };
      assert.deepEqual(await proofs.document({}, undefined), empty);
      for (const count of [1, 1022, 1, 1, 1 + upTo(3000)]) {
        await append(store, count);
        const lines = await linesOf(store);
        const last = lines.length;
        const whole = { storeId: store.storeId, head: last, root: rootOf(lines, last) };
        assert.deepEqual(await proofs.document({}, undefined), whole);
        for (let i = 0; i < 5; i++) {
          const head = 1 + upTo(last - 1);
          const root = rootOf(lines, head);
          const sequence = 1 + upTo(head - 1);
          const inclusion = await proofs.document({ sequence }, head) as InclusionDocument;
          assert.deepEqual([inclusion.root, inclusion.event], [root, lines[sequence - 1]]);
          assertInclusion(inclusion, upTo(255));
          const from = upTo(head);
          const consistency = await proofs.document({ from }, head) as ConsistencyDocument;
          assert.deepEqual([consistency.root, consistency.fromRoot], [root, rootOf(lines, from)]);
          assertConsistency(consistency, upTo(255));
        }
      }
    });
  });
}

function assertInclusion({ sequence, head, root, event, path }: InclusionDocument, bit: number): void {
  const proof = { index: sequence - 1, size: head, leaf: hash.leaf(encoder.encode(event)), path };
  assert.equal(rootOfInclusion(hash, proof), root);
  assert.notEqual(rootOfInclusion(hash, { ...proof, leaf: flipped(proof.leaf, bit) }), root);
  for (const [i, digest] of path.entries()) {
    assert.notEqual(rootOfInclusion(hash, { ...proof, path: path.with(i, flipped(digest, bit)) }), root);
  }
}

function assertConsistency({ from, head, root, fromRoot, path }: ConsistencyDocument, bit: number): void {
  const proof = { first: from, size: head, firstRoot: fromRoot, root, path };
  assert.ok(isConsistent(hash, proof));
  assert.ok(!isConsistent(hash, { ...proof, firstRoot: flipped(fromRoot, bit) }));
  for (const [i, digest] of path.entries()) {
    assert.ok(!isConsistent(hash, { ...proof, path: path.with(i, flipped(digest, bit)) }));
  }
}

function savedRoots(test: StoreTest): void {
  test(
    "roots of blocks are saved where no client sees them, survive a restart, and not a reset",
    async (store, subject) => {
      await append(store, 2500);
      await withProofs(store, async () => {
        await eventually(async () => assert.equal((await savedIn(store))?.roots.length, 2), 30);
      });
      const list = { space: "", type: undefined, after: undefined, limit: 9 };
      assert.equal((await store.reads.projections(list)).lines, '{"hasMore":false}\n');

      // A root that is wrong shows that it is not computed again.
      const again = await subject.reopen();
      const { projection } = await again.reads.projection({ type: "", id: "roots/0" });
      const saved = (await savedIn(again))!;
      const wrong = { ...saved, roots: saved.roots.with(1, "00".repeat(32)) };
      const replace = [{
        type: "",
        id: "roots/0",
        version: projection!.version,
        payload: JSON.stringify(wrong),
      }];
      const write = storeWrite([], { projections: { create: [], replace, delete: [] } });
      throwIfFailed((await again.writer.group([write]))[0]!);
      await withProofs(again, async (proofs) => {
        const { root } = await proofs.document({}, 2048);
        assert.equal(root, hash.node(saved.roots[0]!, wrong.roots[1]!));
        const lines = await linesOf(again);
        assert.equal((await proofs.document({}, 1024)).root, rootOf(lines, 1024));

        throwIfFailed(await turns.pass(() => again.writer.reset()));
        assert.equal((await proofs.document({}, undefined)).root, hash.empty);
        await append(again, 1100);
        assert.equal((await proofs.document({}, undefined)).root, rootOf(await linesOf(again), 1100));
        await eventually(async () => assert.equal((await savedIn(again))?.store, again.storeId), 30);
      });
    },
  );

  test("two servers save the same roots, and again after all projections were deleted", async (store) => {
    const assertSaved = (blocks: number, events: number): Promise<void> =>
      eventually(async () => {
        const saved = await savedIn(store);
        assert.deepEqual([saved?.roots.length, saved?.last.count], [blocks, events]);
      }, 40);
    await append(store, 1100);
    await withProofs(store, (first) =>
      withProofs(store, async (second) => {
        await assertSaved(1, 76);
        await append(store, 1000);
        await assertSaved(2, 52);
        throwIfFailed(await turns.pass(() => store.writer.deleteProjections(undefined)));
        await append(store, 2000);
        await assertSaved(4, 4);
        const root = rootOf(await linesOf(store), 4100);
        for (const proofs of [first, second]) assert.equal((await proofs.document({}, undefined)).root, root);
      }));
  });
}
