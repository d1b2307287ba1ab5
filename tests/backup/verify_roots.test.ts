import assert from "node:assert/strict";
import { join } from "node:path";
import { rootLine } from "../../src/wire/root_lines.ts";
import { makeBackup, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { assertFailed, verify } from "./run_backup.ts";

/* `verify --witness`, with files of roots as `eventstore-client verify` writes them. */

const TIME = "2026-11-28T09:00:00.000000Z";

/** The root over the first sample events. */
async function rootOver(count: number): Promise<string> {
  using place = placeWithoutSource();
  const { stdout } = await verify(place, makeBackup(place, sampleEvents(count)), "--json");
  return JSON.parse(stdout).root;
}

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
