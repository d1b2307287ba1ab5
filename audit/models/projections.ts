import assert from "node:assert/strict";
import fc from "fast-check";
import type { WriteResult } from "../../tests/support/client.ts";
import type { Reply } from "../../tests/support/connection.ts";
import { assertNoContent, assertRejected, expectStatus, UUID } from "../../tests/support/replies.ts";
import { change, type DrawnChange, toBody } from "../../tests/editions/a_write/operations.ts";
import type { ReferenceStore, WireWrite } from "../../tests/editions/a_write/reference.ts";

import type { System } from "./system.ts";

/* Changes of projections with versions, as editions B and C take them in a request of their own. */

export type Changes = WireWrite["projections"];

export const drawnChanges: fc.Arbitrary<readonly DrawnChange[]> = fc.array(change, {
  minLength: 1,
  maxLength: 3,
});

/** @param store provides the versions */
export function changesOf(drawn: readonly DrawnChange[], store: ReferenceStore): Changes {
  return toBody({ kind: "write", events: [], conditions: [], changes: drawn }, store).projections;
}

/** Compares the answer with the reference, and applies the changes to it. */
export function checkChanges(store: ReferenceStore, projections: Changes, reply: Reply): void {
  const write = { events: [], conditions: [], projections };
  const { status, message, conflict } = store.judge(write);
  if (status === 400) return assertRejected(reply, 400, "InvalidRequest", /./);
  if (status === 409) {
    return assertRejected(
      reply,
      409,
      "ConcurrencyException",
      message!.replace(/^projections\./, ""),
      conflict,
    );
  }
  const told = expectStatus(reply, 200).json<WriteResult["projections"]>();
  assert.deepEqual([told.create.length, told.replace.length], [
    projections.create.length,
    projections.replace.length,
  ]);
  for (const { version } of [...told.create, ...told.replace]) assert.match(version, UUID);
  store.apply(write, { events: [], projections: told });
}

/** Requests the deletion of the projections of a type, or of all projections. */
export function requestDeletion(system: System, type?: string): Promise<Reply> {
  return system.request(
    "DELETE",
    type === undefined ? "/projections" : `/projections/${encodeURIComponent(type)}`,
  );
}

/** Deletes them on the server and in the reference store. */
export async function deleteProjections(store: ReferenceStore, system: System, type?: string): Promise<void> {
  assertNoContent(await requestDeletion(system, type));
  store.deleteProjections(type);
}
