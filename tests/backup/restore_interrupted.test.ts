import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { isThere } from "../../src/files/is_there.ts";
import { namesIn } from "../support/directory.ts";
import { change, makeBackup, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import type { BackupDirectories } from "./run_backup.ts";
import { restore, restoredId } from "./run_restore.ts";

Deno.test("events that a killed run left in the WAL of the backup are restored, too", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(3));
  using killed = placeWithoutSource();
  Deno.mkdirSync(killed.dataDir);
  change(place.file(storeId), (db) => {
    db.all("PRAGMA journal_mode = WAL");
    db.run("UPDATE origin SET source = 'http://in.the.wal'");
    db.run("INSERT INTO projection (type, id, version, payload) VALUES (x'61', x'61', 'in the WAL', x'')");
    for (const end of ["", "-wal"]) {
      Deno.copyFileSync(place.file(storeId) + end, killed.file(storeId) + end);
    }
  });
  const before = Deno.readFileSync(killed.file(storeId));
  restoredId(await restore(killed, "--to", "data"));
  assert.deepEqual(Deno.readFileSync(killed.file(storeId)), before, "the backup is only read");
  assert.deepEqual(namesIn(join(killed.directory, "data")), ["events.db", "events.lock"]);
  // The WAL of a link is next to the target of the link.
  using linked = placeWithoutSource();
  Deno.mkdirSync(linked.dataDir);
  Deno.symlinkSync(killed.file(storeId), linked.file(storeId));
  restoredId(await restore(linked, "--to", "data"));
  for (const { directory } of [killed, linked]) {
    change(join(directory, "data", "events.db"), (db) => {
      assert.equal(db.get("SELECT version FROM projection")?.[0], "in the WAL");
    });
  }
});

const KILLS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 300 : 8;
const EVENTS = 1000;

Deno.test(`a restore killed ${KILLS} times at random moments leaves no database or a whole one, and the next one works`, async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(EVENTS));
  const dataDir = join(place.directory, "data");
  const path = join(dataDir, "events.db");
  const started = performance.now();
  restoredId(await place.run({ args: ["restore", "--to", "data"], isProcess: true }));
  const milliseconds = performance.now() - started;
  const old = Deno.readFileSync(path);
  const found = { untouched: 0, unfinished: 0, finished: 0 };
  const areEnough = (): boolean => found.unfinished >= KILLS / 4;
  // On a loaded machine more kills come too early or too late.
  for (let kill = 0; kill < KILLS || !areEnough() && kill < 10 * KILLS; kill++) {
    // Every other time there is a database already.
    const isReplacing = kill % 2 === 1;
    if (isReplacing) Deno.writeFileSync(path, old);
    else for (const name of namesIn(dataDir)) Deno.removeSync(join(dataDir, name));
    await killedRestore(place, Math.random() * milliseconds, isReplacing ? ["--force"] : []);
    const isNew = isThere(path) && !Buffer.from(old).equals(Deno.readFileSync(path));
    found[isThere(`${path}.new`) ? "unfinished" : isNew ? "finished" : "untouched"]++;
    if (isNew) assertWhole(path);
    else assert.equal(isThere(path), isReplacing, "what was there is there, and nothing else");
  }
  assert.ok(areEnough(), JSON.stringify(found));
  restoredId(await restore(place, "--to", "data", "--force"));
  assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"], "remains are cleared away");
});

function assertWhole(path: string): void {
  for (const end of ["-wal", "-journal"]) assert.equal(isThere(path + end), false);
  change(
    path,
    (db) => assert.deepEqual(db.get("SELECT count(*), max(sequence) FROM event"), [EVENTS, EVENTS]),
  );
}

async function killedRestore(
  place: BackupDirectories,
  afterMilliseconds: number,
  args: readonly string[],
): Promise<void> {
  const child = place.spawn({ args: ["restore", "--to", "data", ...args] });
  const ending = child.output();
  await delay(afterMilliseconds);
  try {
    child.kill("SIGKILL");
  } catch {
    // It has just ended.
  }
  await ending;
}

Deno.test("a signal ends a restore gracefully: nothing is left behind", async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(30_000));
  const ends = new Set<string>();
  for (
    let afterMilliseconds = 50;
    afterMilliseconds < 2000 && !ends.has("stopped");
    afterMilliseconds += 40
  ) {
    const child = place.spawn({ args: ["restore", "--to", "data"] });
    const ending = child.output();
    await delay(afterMilliseconds);
    try {
      child.kill("SIGTERM");
    } catch {
      // It has just ended.
    }
    const { code, stderr } = await ending;
    const names = isThere(join(place.directory, "data")) ? namesIn(join(place.directory, "data")) : [];
    if (code === 1) {
      assert.equal(new TextDecoder().decode(stderr), "eventstore-backup: stopped by SIGTERM\n");
      assert.deepEqual(names, ["events.lock"]);
      ends.add("stopped");
    } else if (code === 0) {
      assert.deepEqual(names, ["events.db", "events.lock"]);
      Deno.removeSync(join(place.directory, "data"), { recursive: true });
    }
  }
  assert.ok(ends.has("stopped"), "one signal came in the middle");
});
