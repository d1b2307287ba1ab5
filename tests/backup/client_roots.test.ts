import assert from "node:assert/strict";
import { join } from "node:path";
import { Shell } from "../shell/shell_address.ts";
import { startServer } from "../support/server_process.ts";
import { change } from "./made_backup.ts";
import { BackupDirectories, event, verify } from "./run_backup.ts";
import { SUBJECTS } from "./sealed_source.ts";

Deno.test("verify --witness compares the backup with the roots that the client has kept", async () => {
  await using server = await startServer({ listen: "unix", env: SUBJECTS });
  const client = server.client();
  const shell = new Shell(server.address);
  using place = new BackupDirectories(server.address);
  const file = join(place.directory, "roots");
  for (let i = 0; i < 3; i++) {
    await client.append(event(`${i}`), event(`${i} again`));
    await shell.prints(["verify", "--witness", file]);
  }
  assert.equal((await place.run()).code, 0);
  await client.append(event("later"));
  // The backup ends before this root.
  await shell.prints(["verify", "--witness", file]);
  const { code, stdout } = await verify(place, "--witness", file);
  assert.equal(code, 0);
  assert.match(stdout, /: ok, 6 events, 3 earlier roots hold; root [0-9a-f]{64}@6\n$/);
  assert.equal(JSON.parse((await verify(place, "--witness", file, "--json")).stdout).comparedRoots, 3);
  const [, root] = /root (\S+)@6/.exec(stdout)!;
  assert.ok(
    Deno.readTextFileSync(file).includes(`"head":6,"root":"${root}"`),
    "it is the root of the client",
  );

  // Someone changes an event of the backup, and computes a new tree.
  change(place.file(await client.storeId()), (db) => {
    db.run("UPDATE event SET time = time + 1 WHERE sequence = 3");
    db.script("DROP TABLE tree_block; PRAGMA user_version = 3");
  });
  const changed = await verify(place, "--witness", file);
  assert.equal(changed.code, 1);
  assert.match(changed.stdout, /; an event from 3 to 4 has changed since \S+roots: line 2\n$/);
});
