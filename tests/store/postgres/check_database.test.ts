import assert from "node:assert/strict";
import { databaseFault } from "../../../src/store/postgres/connection/check_database.ts";

/** The properties that a PostgreSQL server reports. */
interface Facts {
  readonly version?: number;
  readonly encoding?: string;
  readonly synchronousCommit?: string;
}

async function faultOf(
  { version = 150_000, encoding = "UTF8", synchronousCommit = "on" }: Facts,
): Promise<string | undefined> {
  const encoder = new TextEncoder();
  const number = new Uint8Array(4);
  new DataView(number.buffer).setInt32(0, version);
  const row = [
    number,
    encoder.encode(encoding),
    encoder.encode(synchronousCommit),
  ];
  return await databaseFault({ run: () => Promise.resolve([[row]]) });
}

Deno.test("a database that is too old, not in UTF-8 or not durable is rejected", async () => {
  assert.equal(await faultOf({}), undefined);
  assert.equal(await faultOf({ version: 130_000 }), undefined);
  assert.match(
    await faultOf({ version: 120_022 }) ?? "",
    /^PostgreSQL 12 is too old; 13 or newer is needed$/,
  );
  assert.match(await faultOf({ encoding: "SQL_ASCII" }) ?? "", /encoding SQL_ASCII/);
  assert.match(await faultOf({ synchronousCommit: "off" }) ?? "", /synchronous_commit is off/);
  assert.equal(await faultOf({ synchronousCommit: "local" }), undefined);
});
