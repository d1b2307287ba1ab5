import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { FakeSource, rightPage, STORE } from "../backup/fake_source.ts";
import { makeBackup, placeWithoutSource, sampleEvents } from "../backup/made_backup.ts";
import { BackupDirectories } from "../backup/run_backup.ts";
import { runInit } from "../cli/run_init.ts";
import { inDirectory } from "../support/directory.ts";
import type { Ended } from "../support/run_command.ts";
import { runServer, startServer } from "../support/server_process.ts";

/* A link to a database on a disk that is not mounted must never be taken for a missing database. */

const TARGET = "/nowhere/mounted/events.db";

/** Asserts that a program rejects a link that leads nowhere, in one line that names it, and leaves it alone. */
async function assertRejected(link: string, run: () => Promise<Ended>): Promise<void> {
  Deno.symlinkSync(TARGET, link);
  const { code, stderr } = await run();
  assert.equal(code, 1, stderr);
  const [line, ...rest] = stderr.split("\n");
  assert.ok(line?.endsWith(`/${basename(link)} is a link to ${TARGET}, which does not exist`), stderr);
  assert.deepEqual(rest, [""]);
  assert.equal(Deno.readLinkSync(link), TARGET);
}

Deno.test("the server and init reject a database that is a link to nothing", async () => {
  await inDirectory(async (directory) => {
    const dataDir = join(directory, "data");
    Deno.mkdirSync(dataDir);
    await assertRejected(join(dataDir, "events.db"), () => runServer({ directory }));
    Deno.removeSync(join(dataDir, "events.db"));
    await assertRejected(join(dataDir, "events.db"), () => runInit(directory, ["--data-dir", dataDir]));
  });
});

Deno.test("a backup rejects a target that is a link to nothing", async () => {
  await using source = new FakeSource((request) => rightPage(request, 2));
  using place = new BackupDirectories(source.address);
  Deno.mkdirSync(place.dataDir);
  await assertRejected(place.file(STORE), () => place.run());
});

Deno.test("restore and export reject a backup, and export a data directory, with a link to nothing", async () => {
  using place = placeWithoutSource();
  Deno.mkdirSync(place.dataDir);
  await assertRejected(place.file(STORE), () => place.run({ args: ["restore", "--to", "data"] }));
  Deno.removeSync(place.file(STORE));
  await assertRejected(place.file(STORE), () => place.run({ args: ["export"] }));
  const link = join(place.directory, "events.db");
  await assertRejected(link, () => place.run({ args: ["export", "--from", place.directory] }));
});

Deno.test("restore --force does not replace a link, wherever it leads", async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(3));
  const link = join(place.directory, "events.db");
  Deno.symlinkSync(TARGET, link);
  const { code, stderr } = await place.run({ args: ["restore", "--force", "--to", place.directory] });
  assert.equal(code, 1);
  assert.match(stderr, /events\.db is not a regular file; it will not be replaced\n$/);
  assert.equal(Deno.readLinkSync(link), TARGET);
});

Deno.test("a second server on a hard link of a database is rejected, and the first loses nothing", async () => {
  await using first = await startServer();
  await first.client().append({ type: "t", payload: "" });
  await inDirectory(async (directory) => {
    const path = join(directory, "data/events.db");
    Deno.mkdirSync(join(directory, "data"));
    Deno.linkSync(first.databasePath, path);
    const { code, stderr } = await runServer({ directory });
    assert.deepEqual(
      [code, stderr],
      [1, `eventstore-server: ${path} is one file with 2 names (hard links)\n`],
    );
  });
  await first.restart();
  assert.equal((await first.client().queryEvents()).events.length, 1);
});
