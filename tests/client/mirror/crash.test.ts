import assert from "node:assert/strict";
import { join } from "node:path";
import { mirror, postgres, type PostgresConnection } from "../../../client/mirror/mod.ts";
import { inDirectory } from "../../support/directory.ts";
import { pause } from "../../support/eventually.ts";
import { MIRROR_CONTRACT } from "./contract.ts";
import { connect, type NoteEvents, notes } from "./places.ts";
import { note, sharedTestServer, storeOf } from "../support.ts";

const server = sharedTestServer();

for (const [name, test] of Object.entries(MIRROR_CONTRACT)) {
  Deno.test(`SQLite: ${name}`, () =>
    inDirectory(async (directory) => {
      const place = join(directory, "rows.db");
      await test({ server, place, connect: () => connect(place) });
    }));
}

Deno.test("a mirror waits for the lock of another connection to its SQLite file", async () => {
  await inDirectory(async (directory) => {
    const place = join(directory, "rows.db");
    const store = storeOf<NoteEvents>(server);
    await store.append(note("0"));
    await using connection = await connect(place);
    await using other = await connect(place);
    await other.database.run("BEGIN IMMEDIATE");
    const running = mirror(store, connection.database, notes(), { stopAtEnd: true });
    assert.equal(await Promise.race([running, pause(50)]), undefined);
    await other.database.run("COMMIT");
    await running;
    assert.deepEqual(await other.column("SELECT text FROM notes"), ["0"]);
  });
});

Deno.test("wrong names, versions and connections are errors that name them", async () => {
  await using connection = await connect(":memory:");
  const { database } = connection;
  const run = (changes: { readonly name?: string; readonly version?: string }): Promise<unknown> =>
    mirror(storeOf<NoteEvents>(server), database, { ...notes(), ...changes });
  await assert.rejects(run({ name: "Notes" }), /^TypeError: name "Notes" does not match /);
  await assert.rejects(run({ version: "1.2" }), /^TypeError: mirror "notes": version "1.2" does not match /);
  const pool = { totalCount: 0, query: () => Promise.reject() } as PostgresConnection;
  assert.throws(() => postgres(pool), /^TypeError: postgres\(\) needs one connection: .*not a Pool$/);
});
