import assert from "node:assert/strict";
import { join } from "node:path";
import { isThere } from "../../src/files/is_there.ts";
import { namesIn } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import type { Ended } from "../support/run_command.ts";
import { startServer } from "../support/server_process.ts";
import { change, makeBackup, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { oddEvents } from "./odd_events.ts";
import { assertFailed, BackupDirectories, event, okLine } from "./run_backup.ts";
import { sourceLines } from "./stored_lines.ts";

function restore(place: BackupDirectories, ...args: string[]): Promise<Ended> {
  return place.run({ args: ["restore", ...args] });
}

Deno.test("restore --until makes a store of the events up to one, byte for byte, which continues from there", async () => {
  await using source = await startServer();
  await source.client().append(...oddEvents);
  const lines = await sourceLines(source.client());
  using place = new BackupDirectories(source.address);
  assert.equal((await place.run()).code, 0);
  const backedUp = await source.client().storeId();
  for (const until of [1, 6, oddEvents.length]) {
    const to = `until_${until}`;
    const { code, stdout, stderr } = await restore(place, "--to", to, "--until", String(until));
    assert.deepEqual([code, stderr], [0, ""]);
    const said = new RegExp(
      `^${
        join(place.directory, to)
      }/events\\.db\nstore ([0-9a-f-]{36}), with the (.*)\nThis is a new history`,
    );
    const [, storeId, copied] = said.exec(stdout)!;
    assert.equal(copied, `first ${until} of the ${oddEvents.length} events of store ${backedUp}`);
    const dataDir = join(place.directory, to);
    assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"]);
    await using server = await startServer({ env: { SERVICE_DATA_DIR: dataDir } });
    const client = server.client();
    assert.equal(await client.storeId(), storeId);
    assert.deepEqual(await sourceLines(client), lines.slice(0, until));
    const query = [{ identifiers: [{ name: "order", value: "o-1" }] }];
    assert.equal((await client.queryEvents(query)).events.length, 1, "the index is there");
    const { events: [next] } = await client.append(event("next"));
    assert.equal(next!.sequence, until + 1);
    // The check of the next backup finds the restored store whole.
    using again = new BackupDirectories(server.address);
    assert.equal((await again.run()).code, 0);
    assert.match((await again.run({ args: ["verify"] })).stdout, okLine(storeId!, until + 1));
  }
});

Deno.test("restore --until a time makes a store of the events before the first one that is not before it", async () => {
  await using source = await startServer();
  for (const type of ["first", "second", "third"]) await source.client().append(event(type), event(type));
  const [first, , , , third] = await source.client().allEvents();
  using place = new BackupDirectories(source.address);
  assert.equal((await place.run()).code, 0);
  const until = async (time: string, to: string): Promise<Ended> =>
    await restore(place, "--to", to, "--until", time);
  assert.match((await until(third!.time, "two")).stdout, /with the first 4 of the 6 events of store /);
  assert.match((await until("2999-01-01T00:00:00+02:00", "all")).stdout, /with the first 6 of the 6 events/);
  assertFailed(await until(first!.time, "none"), 1, /has no event before \d{4}-/);
  assert.equal(isThere(join(place.directory, "none/events.db")), false);
});

Deno.test("restore --until takes only a sequence that the backup has, of a backup that is whole", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(20));
  const before = Deno.readFileSync(place.file(storeId));
  for (const wrong of ["0", "-1", "1.5", "x", "99999999999999999999", "2026-11-20"]) {
    const ended = await restore(place, "--to", "data", `--until=${wrong}`);
    assertFailed(
      ended,
      2,
      new RegExp(
        `--until must be the sequence of an event, or a time such as \\S+, not "${wrong}" \\(help: `,
      ),
    );
  }
  assert.deepEqual(namesIn(place.directory), ["backup"]);
  for (const args of [[], ["--dry-run"]]) {
    assertFailed(
      await restore(place, "--to", "data", "--until", "21", ...args),
      1,
      /\.db has no event 21, nothing was restored: it ends with event 20$/m,
    );
  }
  assert.equal(isThere(join(place.directory, "data/events.db")), false);
  const dry = await restore(place, "--to", "other", "--until", "7", "--dry-run");
  assert.equal(
    dry.stdout,
    `would create ${
      join(place.directory, "other/events.db")
    } with the first 7 of the 20 events of store ${storeId}; nothing was changed\n`,
  );
  assert.equal(isThere(join(place.directory, "other")), false);
  assert.deepEqual(Deno.readFileSync(place.file(storeId)), before);

  // Damage after the last wanted event counts as well.
  change(place.file(storeId), (db) => db.run("UPDATE event SET time = time + 1 WHERE sequence = 15"));
  assertFailed(
    await restore(place, "--to", "data", "--until", "7"),
    1,
    /is damaged, nothing was restored: the Merkle tree differs/,
  );
  assert.deepEqual(namesIn(join(place.directory, "data")), ["events.lock"]);
});

Deno.test("restore --until keeps the old database until the new one is complete, also when it is killed", async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(12_000));
  const dataDir = join(place.directory, "data");
  assert.equal((await restore(place, "--to", "data", "--until", "3")).code, 0);
  assertFailed(
    await restore(place, "--to", "data", "--until", "4"),
    1,
    /already exists; --force replaces it/,
  );
  const before = Deno.readFileSync(join(dataDir, "events.db"));
  const child = place.spawn({ args: ["restore", "--to", "data", "--until", "11999", "--force"] });
  await eventually(() => assert.ok(isThere(join(dataDir, "events.db.new"))), 60);
  child.kill("SIGKILL");
  // On a busy machine it may have ended before.
  const { success } = await child.output();
  if (!success) assert.deepEqual(Deno.readFileSync(join(dataDir, "events.db")), before);
  assert.equal((await restore(place, "--to", "data", "--until", "11999", "--force")).code, 0);
  assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"], "remains are cleared away");
  await using server = await startServer({ env: { SERVICE_DATA_DIR: dataDir } });
  assert.equal(
    (await server.client().queryEvents("*", { limit: 1 })).reply.headers.get("x-service-head"),
    "11999",
  );
});
