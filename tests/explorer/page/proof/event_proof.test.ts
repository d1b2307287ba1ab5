import assert from "node:assert/strict";
import { hash as digestOf } from "node:crypto";
import { type EventProof, provedRoot } from "../../../../explorer/page/proof/event_proof.ts";
import type { StoredEvent } from "../../../../explorer/page/store/stored_event.ts";
import { inclusionRanges } from "../../../../src/model/merkle_proof.ts";
import { GrowingTree, TreeHash } from "../../../../src/model/merkle_tree.ts";

const COUNT = 11;
const hash = new TreeHash((bytes) => digestOf("sha256", bytes, "hex"));

/** Every third event has an encrypted payload, and some of these were forgotten. */
const events = Array.from({ length: COUNT }, (_, i): StoredEvent => ({
  sequence: i + 1,
  time: "2026-11-28T09:30:12.345678Z",
  type: "t",
  identifiers: i % 3 === 0 ? { student: "s1", "2": ["b", "a"] } : {},
  metadata: { by: "web" },
  payload: i % 6 === 0 ? "" : `\u00e4 ${i}`,
  ...i % 6 === 0 ? { forgotten: ["student"] } : {},
}));

const lines = events.map(({ forgotten: _, ...event }, i) =>
  JSON.stringify(
    i % 3 === 0
      ? { ...event, payload: "", sealed: { keys: [["student", "mL6W67Ty5wWIHso0"]], data: `data${i}` } }
      : event,
  )
);

function rootOf(from: number, to: number): string {
  const tree = new GrowingTree(hash);
  for (const line of lines.slice(from, to)) tree.add(hash.leaf(new TextEncoder().encode(line)));
  return tree.root;
}

function claimOf(sequence: number, head: number): EventProof {
  const path = inclusionRanges(sequence - 1, head).map(({ from, to }) => rootOf(from, to));
  return { storeId: "s", head, root: rootOf(0, head), event: lines[sequence - 1]!, path };
}

Deno.test("every event of every tree is proved: plain, encrypted and forgotten", async () => {
  for (let head = 1; head <= COUNT; head++) {
    for (let sequence = 1; sequence <= head; sequence++) {
      const claim = claimOf(sequence, head);
      assert.equal((await provedRoot(claim, events[sequence - 1]!)).root, rootOf(0, head));
    }
  }
});

/** Changes one hexadecimal digit. */
function changed(digest: string): string {
  return digest.replace(/.$/, (last) => last === "0" ? "1" : "0");
}

Deno.test("no other root, head or path proves an event, and none that leads to another event", async () => {
  const claim = claimOf(5, COUNT);
  const [first, ...rest] = claim.path;
  for (
    const wrong of [
      { root: changed(claim.root) },
      { path: [changed(first!), ...rest] },
      { path: rest },
      { path: [...claim.path, first!] },
      { head: 4 },
      { head: 8 },
      { path: claimOf(6, COUNT).path },
    ]
  ) {
    const proof = provedRoot({ ...claim, ...wrong }, events[4]!);
    await assert.rejects(proof, /not proved: the event does not lead to the root/, JSON.stringify(wrong));
  }
});

Deno.test("an encrypted payload that has changed is not proved, although the page cannot read it", async () => {
  const claim = claimOf(7, COUNT);
  const event = claim.event.replace("data6", "data7");
  assert.notEqual(event, claim.event);
  await assert.rejects(
    provedRoot({ ...claim, event }, events[6]!),
    /not proved: the event does not lead to the root/,
  );
});

Deno.test("a proof of another event than the page shows is none", async () => {
  const [plain, sealed] = [events[4]!, events[3]!];
  const other = /not proved: the store has another event than this page shows/;
  await assert.rejects(provedRoot(claimOf(6, COUNT), plain), other);
  for (
    const change of [{ payload: "x" }, { type: "u" }, { metadata: {} }, {
      time: "2026-11-28T09:30:12.345679Z",
    }]
  ) {
    await assert.rejects(provedRoot(claimOf(5, COUNT), { ...plain, ...change }), other);
  }
  await assert.rejects(provedRoot(claimOf(4, COUNT), { ...sealed, identifiers: {} }), other);
  await assert.rejects(provedRoot({ ...claimOf(5, COUNT), event: "{" }, plain), other);
});

Deno.test("an answer without a proof is rejected", async () => {
  const claim = claimOf(5, COUNT);
  for (
    const wrong of [
      { root: claim.root.toUpperCase() },
      { root: undefined },
      { path: undefined },
      { path: [""] },
      { path: "no list" },
      { event: undefined },
      { head: "11" },
      { storeId: 1 },
    ]
  ) {
    const answer = { ...claim, ...wrong } as unknown as EventProof;
    await assert.rejects(
      provedRoot(answer, events[4]!),
      /not proved: the store sent an answer that is no proof/,
    );
  }
});
