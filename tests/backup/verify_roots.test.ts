import assert from "node:assert/strict";
import { join } from "node:path";
import { rootLine } from "../../src/wire/root_lines.ts";
import { startServer } from "../support/server_process.ts";
import { Shell } from "../shell/shell_address.ts";
import { change, makeBackup, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { assertFailed, BackupDirectories, event, verify } from "./run_backup.ts";
import { SUBJECTS } from "./sealed_source.ts";

/* `verify --witness`, with files that `eventstore-client verify` has written, and with made ones. */

const TIME = "2026-11-28T09:00:00.000000Z";

/** The root over the first sample events. */
async function rootOver(count: number): Promise<string> {
  using place = placeWithoutSource();
  const { stdout } = await verify(place, makeBackup(place, sampleEvents(count)), "--json");
  return JSON.parse(stdout).root;
}

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

Deno.test("verify --witness finds a change that fits the tree of the backup", async () => {
  using place = placeWithoutSource();
  const [storeId, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const changed = sampleEvents(7).map((event, i) => i === 4 ? { ...event, payload: "changed" } : event);
  makeBackup(place, changed, storeId);
  makeBackup(place, sampleEvents(2), other);
  const file = join(place.directory, "roots");
  const lines = await Promise.all(
    [0, 4, 6].map(async (head) => rootLine({ time: TIME, storeId, head, root: await rootOver(head) })),
  );
  Deno.writeTextFileSync(file, lines.join(""));
  const { code, stdout } = await verify(place, storeId, "--witness", file);
  assert.equal(code, 1);
  assert.equal(
    stdout,
    `${storeId}: not ok: an event from 5 to 6 has changed since ${file}: line 3\n`,
  );
  const both = await verify(place, "--witness", file);
  assert.match(both.stdout, new RegExp(`^${other}: ok, 2 events; root `, "m"), "it has no root there");
});

Deno.test("verify --witness names a file that cannot serve, and a backup that ends before its first root", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(3));
  const file = join(place.directory, "roots");
  const wrong: readonly (readonly [text: string | undefined, expected: RegExp])[] = [
    [undefined, /roots cannot be read: /],
    ["", /roots has no root$/m],
    ['{"time":', /roots: line 1: it has no line feed: a write was cut off/],
    ["{}\n", /roots: line 1: must be JSON with time, storeId, head and root$/m],
    [
      rootLine({ time: TIME, storeId: "another", head: 0, root: "0".repeat(64) }),
      /roots has roots of store another, which is not among the backups$/m,
    ],
  ];
  for (const [text, expected] of wrong) {
    if (text !== undefined) Deno.writeTextFileSync(file, text);
    assertFailed(await verify(place, "--witness", file), 1, expected);
  }
  Deno.writeTextFileSync(file, rootLine({ time: TIME, storeId, head: 4, root: "0".repeat(64) }));
  const { code, stdout } = await verify(place, "--witness", file);
  assert.deepEqual([code, stdout], [
    1,
    `${storeId}: not ok: it ends with event 3, before the first root of ${file}\n`,
  ]);
});
