import assert from "node:assert/strict";
import { join } from "node:path";
import { mirror, postgres, type PostgresConnection } from "../../client/mirror/mod.ts";
import { inDirectory } from "../support/directory.ts";
import { MIRROR_CONTRACT } from "./mirror_contract.ts";
import { connect, type NoteEvents, notes } from "./mirror_places.ts";
import { sharedTestServer, storeOf } from "./support.ts";

const server = sharedTestServer();

for (const [name, test] of Object.entries(MIRROR_CONTRACT)) {
  Deno.test(`SQLite: ${name}`, () =>
    inDirectory(async (directory) => {
      const place = join(directory, "rows.db");
      await test({ server, place, connect: () => connect(place) });
    }));
}

Deno.test("wrong names, versions and connections are errors that name them", async () => {
  const { database } = await connect(":memory:");
  const run = (changes: { readonly name?: string; readonly version?: string }): Promise<unknown> =>
    mirror(storeOf<NoteEvents>(server), database, { ...notes(), ...changes });
  await assert.rejects(run({ name: "Notes" }), /^TypeError: name "Notes" does not match /);
  await assert.rejects(run({ version: "1.2" }), /^TypeError: mirror "notes": version "1.2" does not match /);
  const pool = { totalCount: 0, query: () => Promise.reject() } as PostgresConnection;
  assert.throws(() => postgres(pool), /^TypeError: postgres\(\) needs one connection: .*not a Pool$/);
});
