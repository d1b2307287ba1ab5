import assert from "node:assert/strict";
import { startServer } from "../support/server_process.ts";
import { FakeSource, OTHER_STORE, rightPage, STORE } from "./fake_source.ts";
import { change, makeBackup, sampleEvents } from "./made_backup.ts";
import { oddEvents } from "./odd_events.ts";
import { BackupDirectories, event, verify } from "./run_backup.ts";

const EVENT = sampleEvents(30);

Deno.test("verify --against-source compares every event with the running source, and names the first that differs", async () => {
  await using server = await startServer({ env: { SERVICE_DEV_MODE: "true" } });
  const client = server.client();
  await client.append(...oddEvents, { type: "t", payload: "12" }, event("13"));
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  await client.append(event("14"));
  const storeId = await client.storeId();
  const source = Object.values(place.source)[0]!;
  const args = ["verify", "--against-source"];
  const env = { SERVICE_BACKUP_PAGE_LIMIT: "2" };

  const equal = await place.run({ args, env });
  const said = new RegExp(`^${storeId}: ok, 13 events, equal to those of ${source}; root [0-9a-f]{64}@13\n$`);
  assert.match(equal.stdout, said, equal.stderr);
  change(place.file(storeId), (db) => {
    db.run(`UPDATE event SET body = replace(body, '"payload":"12"', '"payload":"21"') WHERE sequence = 12`);
  });
  const different = await place.run({ args: [...args, "--json"], env });
  const { problems, ok, comparedWithSource } = JSON.parse(different.stdout);
  assert.deepEqual([different.code, ok, comparedWithSource], [1, false, true]);
  assert.match(problems[0], /the Merkle tree differs/);
  assert.deepEqual(problems.slice(1), ["event 12 differs from the source"]);

  await client.reset();
  const reset = await place.run({ args, env });
  assert.equal(reset.code, 1);
  assert.match(reset.stderr, /holds store [0-9a-f-]{36}, which is not among the verified backups/);
  await server.stop();
  const away = await place.run({ args, env });
  assert.deepEqual([away.code, away.stderr], [1, ""]);
  const lines = away.stdout.trimEnd().split("\n");
  for (const line of lines) {
    assert.match(line, new RegExp(`not ok: (.+; )?it could not be compared: the source ${source}: `));
  }
});

Deno.test("while the source cannot be reached, verify still says what is wrong with a backup, and with the next one", async () => {
  using place = new BackupDirectories({ transport: "unix", path: "/nonexistent/socket" });
  makeBackup(place, EVENT, STORE);
  makeBackup(place, EVENT, OTHER_STORE);
  change(place.file(STORE), (db) => db.run("UPDATE event SET time = time + 1 WHERE sequence = 9"));
  const { code, stdout, stderr } = await verify(place, "--against-source", "--json");
  assert.deepEqual([code, stderr], [1, ""]);
  const reports = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const away = /^it could not be compared: the source \/nonexistent\/socket: /;
  const problemsOf = (id: string): string[] => reports.find(({ storeId }) => storeId === id).problems;
  assert.match(problemsOf(STORE)[0]!, /^the Merkle tree differs/);
  assert.match(problemsOf(STORE)[1]!, away);
  assert.match(problemsOf(OTHER_STORE)[0]!, away);
  assert.deepEqual(reports.map(({ comparedWithSource }) => comparedWithSource), [false, false]);
});

Deno.test("a source that fails in the middle of a comparison does not hide what verify found", async () => {
  await using source = new FakeSource((request, count) =>
    count === 1 ? rightPage(request, 3) : { bytes: "", then: "close" }
  );
  using place = new BackupDirectories(source.address);
  makeBackup(place, EVENT, STORE);
  makeBackup(place, EVENT, OTHER_STORE);
  for (const storeId of [STORE, OTHER_STORE]) {
    change(place.file(storeId), (db) => db.run("UPDATE event SET time = time + 1 WHERE sequence = 9"));
  }
  const { code, stdout, stderr } = await verify(place, "--against-source", "--json");
  assert.deepEqual([code, stderr], [1, ""]);
  const [first, second] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual([first.storeId, first.comparedWithSource, first.problems.length], [STORE, false, 2]);
  assert.match(first.problems[0], /^the Merkle tree differs/);
  assert.match(first.problems[1], /^it could not be compared: the source http:.*without a response$/);
  assert.deepEqual(
    [second.storeId, second.problems.length],
    [OTHER_STORE, 1],
    "the next one is checked, too",
  );
});

Deno.test("a signal ends a comparison that waits for the source", async () => {
  const asked = Promise.withResolvers<void>();
  await using source = new FakeSource((request, count) => {
    if (count === 1) return rightPage(request, 3);
    asked.resolve();
    return { bytes: "", then: "hang" };
  });
  using place = new BackupDirectories(source.address);
  makeBackup(place, EVENT, STORE);
  const child = place.spawn({ args: ["verify", "--against-source"] });
  const ending = child.output();
  await asked.promise;
  child.kill("SIGTERM");
  const { code, stdout, stderr } = await ending;
  assert.deepEqual([code, stdout.length], [1, 0]);
  assert.equal(new TextDecoder().decode(stderr), "eventstore-backup: stopped by SIGTERM\n");
});

Deno.test("verify --against-source names the event that the source does not have", async () => {
  await using server = await startServer();
  const client = server.client();
  await client.append(event("1"), event("2"));
  using place = new BackupDirectories(server.address);
  const storeId = await client.storeId();
  makeBackup(place, sampleEvents(1), storeId);
  const first = await place.run({ args: ["verify", "--against-source"] });
  assert.equal(first.stdout, `${storeId}: not ok: event 1 differs from the source\n`);
  Deno.removeSync(place.file(storeId));
  assert.equal((await place.run()).code, 0);
  await server.stop();
  change(server.databasePath, (db) => db.run("DELETE FROM event WHERE sequence = 2"));
  await server.start();
  const second = await place.run({ args: ["verify", "--against-source"] });
  assert.deepEqual([second.code, second.stdout], [1, `${storeId}: not ok: the source has no event 2\n`]);
});
