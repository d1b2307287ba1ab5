import assert from "node:assert/strict";
import { join } from "node:path";
import { mirror } from "../../../client/mirror/mod.ts";
import { withClient } from "../../client/examples.ts";
import { MIRROR_CONTRACT } from "../../client/mirror/contract.ts";
import { connect, type NoteEvents, notes } from "../../client/mirror/places.ts";
import { note, placeOf, startTestServer, storeOf } from "../../client/support.ts";
import { pageBlocks } from "../../docs/page_blocks.ts";
import { inDirectory } from "../../support/directory.ts";
import { runDeno } from "../../support/run_command.ts";
import { clusterTest } from "./support/postgres_test.ts";

await clusterTest("a mirror fills a table of PostgreSQL as it does one of SQLite", async (cluster) => {
  await using server = await startTestServer();
  for (const [i, [name, test]] of Object.entries(MIRROR_CONTRACT).entries()) {
    await server.client().reset();
    await cluster.sql(`CREATE DATABASE mirror_${i}`);
    const place = cluster.url(undefined, `mirror_${i}`);
    try {
      await test({ server, place, connect: () => connect(place) });
    } catch (cause) {
      throw new Error(name, { cause });
    }
  }
});

await clusterTest("the example of the page for PostgreSQL fills its table", async (cluster) => {
  await using server = await startTestServer();
  const shows = Array.from({ length: 3 }, (_, i) => `s${i}`);
  await storeOf<{ SeatTaken: null }>(server).append(
    shows.map((show) => ({ type: "SeatTaken", identifiers: { show }, payload: null })),
  );
  const { text } = pageBlocks("fill_a_table.md").find(({ text }) => text.includes("pg.Client"))!;
  await inDirectory(async (directory) => {
    const file = join(directory, "example.js");
    await Deno.writeTextFile(file, `import process from "node:process";\n${withClient(text)}`);
    const env = { DATABASE_URL: cluster.url(), EVENTSTORE_URL: placeOf(server.address).url! };
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    const args = ["run", "--quiet", "--no-check", "--allow-all", "--config", config, file];
    const { code, stderr } = await runDeno(args, { env });
    assert.equal(code, 0, stderr);
  });
  await using connection = await connect(cluster.url());
  assert.deepEqual(await connection.column("SELECT show FROM seats ORDER BY sequence"), shows);
});

await clusterTest("the view keeps its grants and the views on it, if its columns stay", async (cluster) => {
  await using server = await startTestServer();
  const store = storeOf<NoteEvents>(server);
  await store.append(note("0"));
  await using connection = await connect(cluster.url());
  const build = (version: string): Promise<unknown> =>
    mirror(store, connection.database, notes(version), { stopAtEnd: true });
  await build("1");
  await cluster.sql("CREATE ROLE reader", "GRANT SELECT ON notes TO reader");
  await cluster.sql("CREATE VIEW longest AS SELECT max(length(text)) FROM notes");
  await build("2");
  const may = "SELECT has_table_privilege('reader', 'notes', 'SELECT')";
  assert.deepEqual(await connection.column(may), [true]);
  assert.deepEqual(await connection.column("SELECT * FROM longest"), [1]);
  const wider = { ...notes("3"), create: (table: string) => `CREATE TABLE ${table} (id int, text TEXT)` };
  const apply = (): void => {};
  await assert.rejects(
    mirror(store, connection.database, { ...wider, apply }, { stopAtEnd: true }),
    /^Error: mirror "notes": cannot create a view with its name: cannot drop view notes/,
  );
  await connection.database.run("DROP VIEW longest");
  await mirror(store, connection.database, { ...wider, apply }, { stopAtEnd: true });
  assert.deepEqual(await connection.column("SELECT id FROM notes"), []);
});
