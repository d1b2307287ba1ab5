import assert from "node:assert/strict";
import { insertProjections } from "../../src/store/sqlite/tables/projections.ts";
import { bearer, startWithTokens, tokenToml } from "../support/tokens.ts";
import { change } from "./made_backup.ts";
import { BackupDirectories, event, runJson } from "./run_backup.ts";
import { SUBJECTS } from "./sealed_source.ts";

/* A run compares the root of the backup with that of the source. */

const TOKENS = tokenToml("copier", "c", ["copy"]) + tokenToml("backup", "b", ["read", "copy", "write"]);
const AS_BACKUP = { SERVICE_BACKUP_SOURCE_TOKEN: "b" };
const AS_COPIER = { SERVICE_BACKUP_SOURCE_TOKEN: "c" };

Deno.test("a run copies the new events, and names a block whose saved root has changed in the source", async () => {
  await using server = await startWithTokens("A", TOKENS, SUBJECTS);
  const append = (count: number): Promise<unknown> =>
    server.client(bearer("b")).append(...Array.from({ length: count }, (_, i) => event(`${i}`)));
  for (let i = 0; i < 30; i++) await append(100);
  using place = new BackupDirectories(server.address);
  assert.equal((await runJson(place, AS_BACKUP)).eventsCopied, 3000);

  const storeId = await server.client(bearer("b")).storeId();
  const root = async (head: number): Promise<string> => {
    const { text } = await server.client(bearer("b")).request("GET", `/proof?head=${head}`);
    return JSON.parse(text).root;
  };
  const right = await root(1024);
  assert.equal((await server.stop()).code, 0);
  change(server.databasePath, (db) => {
    const payload = JSON.stringify({ store: storeId, roots: [right, "0".repeat(64)] });
    db.run("DELETE FROM projection WHERE type = x''");
    insertProjections(db, [{ type: "", id: "roots/0", version: crypto.randomUUID(), payload }]);
  });
  await server.start();
  await append(1);
  const run = await runJson(place, AS_BACKUP);
  assert.match(
    run.error!,
    /^the source \S+ has another root of the events 1025 to 2048 than the backup: one of them has changed there/,
  );
  assert.deepEqual([run.ok, run.eventsCopied, run.lastSequence], [false, 1, 3001]);
  assert.equal((await runJson(place, AS_COPIER)).ok, true, "without the right read it is not compared");
});
