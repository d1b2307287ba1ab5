import assert from "node:assert/strict";
import { join } from "node:path";
import { editions } from "../../src/editions/editions.ts";
import type { Client } from "../support/client.ts";
import { modeOf, namesIn } from "../support/directory.ts";
import { startServer } from "../support/server_process.ts";
import { change, makeBackup, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { oddEvents } from "./odd_events.ts";
import { assertFailed, BackupDirectories, event, okLine } from "./run_backup.ts";
import { restore, restoredId } from "./run_restore.ts";
import { sourceLines } from "./stored_lines.ts";

const QUERIES: readonly unknown[] = [
  [{ types: ["several", "nul\0"] }],
  [{ identifiers: [{ name: "a", value: "2" }, { name: "b", value: "3" }] }],
  [{ identifiers: [{ name: "__proto__", value: "constructor" }] }],
  [{ identifiers: [{ name: '"', value: "\\" }] }, { metadata: [{ name: "", value: "" }] }],
  [{ identifiers: [{ name: "\0", value: "\0\0" }], metadata: [{ name: "m", value: "\u0001" }] }],
  [{ types: ["emoji \u{1F600}"], identifiers: [{ name: "\u{1F600}", value: "\u{10FFFF}" }] }],
  [{ metadata: [{ name: "name 20", value: "value 0" }] }],
];

async function answers(client: Client, every: string): Promise<string[]> {
  const texts = [(await sourceLines(client, every)).join("")];
  for (const query of QUERIES) {
    const { text } = await client.request("QUERY", "/events", { json: { query } });
    assert.ok(text.split("\n").length > 2, `${JSON.stringify(query)} finds something`);
    texts.push(text);
  }
  return texts;
}

for (const edition of Object.keys(editions)) {
  Deno.test(`a restored backup of edition ${edition} serves the same events to the same queries, byte for byte`, async () => {
    await using writer = await startServer();
    await writer.client().append(...oddEvents);
    await writer.stop();
    const env = { SERVICE_EDITION: edition };
    const every = edition === "B" ? "all" : "*";
    await using source = await startServer({ env: { ...env, SERVICE_DATA_DIR: writer.dataDir } });
    const expected = await answers(source.client(), every);
    using place = new BackupDirectories(source.address);
    assert.equal((await place.run()).code, 0);
    assert.match(
      (await place.run({ args: ["verify"] })).stdout,
      /: ok, (\d+) events; root [0-9a-f]{64}@\1\n$/,
    );
    await source.stop();

    const ended = await restore(place, "--to", "restored");
    const storeId = restoredId(ended);
    assert.match(ended.stdout, /^\/.+\/restored\/events\.db\n/);
    assert.match(ended.stdout, /Positions that readers saved are void/);
    assert.match(ended.stdout, /Projections .* must be rebuilt/);
    const dataDir = join(place.directory, "restored");
    assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"]);
    assert.deepEqual([modeOf(dataDir), modeOf(join(dataDir, "events.db"))], [0o700, 0o600]);
    await using server = await startServer({ env: { ...env, SERVICE_DATA_DIR: dataDir } });
    assert.deepEqual(await answers(server.client(), every), expected);
    assert.equal((await server.client().queryEvents(every, { limit: 1 })).store, storeId);
  });
}

Deno.test("each restore is a separate store, which continues where the backup ends", async () => {
  using place = placeWithoutSource();
  const backup = makeBackup(place, sampleEvents(3));
  const ids = new Set([backup]);
  for (const name of ["one", "two"]) {
    const storeId = restoredId(await restore(place, "--to", name, backup));
    ids.add(storeId);
    await using server = await startServer({ env: { SERVICE_DATA_DIR: join(place.directory, name) } });
    assert.equal(await server.client().storeId(), storeId);
    const { events: [written] } = await server.client().append(event("4"));
    assert.equal(written!.sequence, 4);
    const condition = {
      failIfEventsMatch: [{ identifiers: [{ name: "n", value: "2" }] }],
    };
    assert.equal(
      (await server.client().write({ conditions: [condition] })).status,
      409,
      "the index is there",
    );
    // The restored store can be the source of the next backup.
    using next = new BackupDirectories(server.address);
    assert.equal((await next.run()).code, 0);
    assert.match((await next.run({ args: ["verify"] })).stdout, okLine(storeId, 4));
  }
  assert.equal(ids.size, 3);
});

Deno.test("a dry run says what would be done, or why not, and changes nothing", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(3));
  const { code, stdout, stderr } = await restore(place, "--to", "new", "--dry-run");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(
    stdout,
    `would create ${place.directory}/new/events.db with the 3 events of store ${storeId}; nothing was changed\n`,
  );
  assert.deepEqual(namesIn(place.directory), ["backup"]);

  restoredId(await restore(place, "--to", "there"));
  const before = Deno.readFileSync(join(place.directory, "there/events.db"));
  assertFailed(await restore(place, "--to", "there", "--dry-run"), 1, /there\/events\.db already exists/);
  const forced = await restore(place, "--to", "there", "--dry-run", "--force");
  assert.match(
    forced.stdout,
    /^would create .*, replacing the existing database; nothing was changed\n$/,
  );
  assert.deepEqual(Deno.readFileSync(join(place.directory, "there/events.db")), before);

  change(place.file(storeId), (db) => db.run("DELETE FROM event WHERE sequence = 2"));
  assertFailed(await restore(place, "--to", "new", "--dry-run"), 1, /is damaged, .*: event 2 is missing$/m);
});

Deno.test("the backup to restore must be clear, and it must be whole", async () => {
  using place = placeWithoutSource();
  assertFailed(await restore(place, "--to", "data"), 1, /there is no backup in \/.*\/backup$/m);
  const [one, two] = [makeBackup(place, sampleEvents(3)), makeBackup(place, sampleEvents(4))].toSorted();
  assertFailed(await restore(place, "--to", "data"), 1, new RegExp(`name one: ${one}, ${two}$`, "m"));
  assertFailed(await restore(place, one!), 2, /--to is missing/);
  change(place.file(one!), (db) => db.run("UPDATE event SET time = time + 1 WHERE sequence = 2"));
  assertFailed(
    await restore(place, "--to", "data", one!),
    1,
    new RegExp(`backup/${one}\\.db is damaged, nothing was restored: the Merkle tree differs`),
  );
  assert.deepEqual(namesIn(join(place.directory, "data")), ["events.lock"]);
  restoredId(await restore(place, "--to", "data", two!));
});
