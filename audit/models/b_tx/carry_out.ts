import assert from "node:assert/strict";
import { projectionPath } from "../../../tests/support/client.ts";
import { expectStatus, UUID } from "../../../tests/support/replies.ts";
import type { ReferenceStore } from "../../../tests/editions/a_write/reference.ts";
import type { ReferenceTx } from "../../../tests/editions/b_tx/reference.ts";
import type { System } from "../system.ts";

/** Applies a commit to the reference store, with the versions that the server has drawn. */
export async function carryOut(system: System, tx: ReferenceTx, store: ReferenceStore): Promise<void> {
  const versions = new Map<object, string>();
  for (const one of tx.changes.filter(({ made }) => made !== null)) {
    const reply = expectStatus(await system.request("GET", projectionPath(one.type, one.id)), 200);
    assert.equal(reply.text, one.made);
    const version = reply.headers.get("x-service-version") ?? "";
    assert.match(version, UUID);
    assert.notEqual(version, store.projection(one)?.version);
    versions.set(one, version);
  }
  tx.commitTo(store, (one) => versions.get(one)!);
}

/** Returns true when a commit without events was carried out, which its first change shows. */
export async function changeIsThere(
  system: System,
  tx: ReferenceTx,
  store: ReferenceStore,
): Promise<boolean> {
  const [first] = tx.changes;
  if (tx.events.length > 0 || first === undefined) return false;
  const reply = await system.request("GET", projectionPath(first.type, first.id));
  return reply.headers.get("x-service-version") !== store.projection(first)?.version;
}
