import assert from "node:assert/strict";
import { databaseFault } from "../../../src/store/postgres/connection/check_database.ts";

/** The answer to a database with these properties. start.test.ts has those that a database of the test can have. */
async function faultOf(version: number, synchronousCommit = "on"): Promise<string | undefined> {
  const encoder = new TextEncoder();
  const number = new Uint8Array(4);
  new DataView(number.buffer).setInt32(0, version);
  const row = [number, encoder.encode("UTF8"), encoder.encode(synchronousCommit)];
  return await databaseFault({ run: () => Promise.resolve([[row]]) });
}

Deno.test("a database that is too old is rejected", async () => {
  assert.equal(await faultOf(130_000), undefined);
  assert.equal(await faultOf(150_000, "local"), undefined);
  assert.equal(await faultOf(120_022), "PostgreSQL 12 is too old; 13 or newer is needed");
});
