import assert from "node:assert/strict";
import { type Client, projectionPath, type WriteResult } from "../../support/client.ts";
import type { Reply } from "../../support/connection.ts";
import { assertRejected, TIMESTAMP, UUID } from "../../support/replies.ts";
import type { ReferenceStore, WireWrite } from "./reference.ts";

/** Compares the answer to a write with the one of the reference, and applies the write to the reference. */
export function checkWrite(reference: ReferenceStore, body: WireWrite, reply: Reply): void {
  const verdict = reference.judge(body);
  if (verdict.status === 409) {
    return assertRejected(reply, 409, "ConcurrencyException", verdict.message, verdict.conflict);
  }
  if (verdict.status === 400) return assertRejected(reply, 400, "InvalidRequest", /^projections\./);
  assert.equal(reply.status, 200, reply.text);
  const result = reply.json<WriteResult>();
  const first = reference.events.length + 1;
  assert.deepEqual(result.events.map((event) => event.sequence), body.events.map((_, i) => first + i));
  for (const { time } of result.events) {
    assert.match(time, TIMESTAMP);
    assert.equal(time, result.events[0]?.time);
  }
  const versions = [...result.projections.create, ...result.projections.replace].map((item) => item.version);
  for (const version of versions) assert.match(version, UUID);
  assert.equal(result.projections.create.length, body.projections.create.length);
  assert.equal(result.projections.replace.length, body.projections.replace.length);
  const storeId = reply.headers.get("x-service-store") ?? "";
  if (reference.storeId === "") reference.storeId = storeId;
  assert.equal(storeId, reference.storeId);
  reference.apply(body, result);
}

/** Reads a projection from the server, and compares it with the reference. */
export async function checkProjection(
  client: Pick<Client, "request">,
  key: { type: string; id: string },
  reference: ReferenceStore,
): Promise<void> {
  const reply = await client.request("GET", projectionPath(key.type, key.id));
  assert.equal(reply.headers.get("x-service-store"), reference.storeId);
  const expected = reference.projection(key);
  if (expected === undefined) return assertRejected(reply, 404, "ProjectionNotFound");
  assert.equal(reply.status, 200);
  assert.equal(reply.text, expected.payload);
  assert.equal(reply.headers.get("x-service-version"), expected.version);
}
