import assert from "node:assert/strict";
import { ApiError } from "../../../../src/model/errors.ts";
import type { Session } from "../../../../src/store/postgres/protocol/session.ts";
import { SessionPool } from "../../../../src/store/postgres/reading/session_pool.ts";
import type { SessionSource } from "../../../../src/store/postgres/reading/session_source.ts";

/** Opens sessions that only know whether they are open. */
const SOURCE: SessionSource = {
  open() {
    const session = { isOpen: true, close: () => Promise.resolve(void (session.isOpen = false)) };
    return Promise.resolve(session as unknown as Session);
  },
  isGood: () => true,
  expected: () => 0,
  faultOf: () => undefined,
};

Deno.test("when the pool is closed, reads that wait for a connection fail, and so do later ones", async () => {
  const pool = new SessionPool(SOURCE, 1);
  const used = await pool.session({});
  const waiting = assert.rejects(pool.session({}), isClosed);
  await pool.close();
  assert.ok(!used.isOpen);
  pool.release(used);
  await waiting;
  await assert.rejects(pool.session({ isNextPart: true }), isClosed);
});

function isClosed(error: unknown): boolean {
  return error instanceof ApiError && error.code === "Unavailable" && error.detail === "the store was closed";
}
