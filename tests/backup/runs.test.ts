import assert from "node:assert/strict";
import { join } from "node:path";
import { isThere } from "../../src/files/is_there.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/server_process.ts";
import { FakeSource, lines, page, rightPage, STORE } from "./fake_source.ts";
import { assertFailed, BackupDirectories, event, runJson, START_SECONDS_MAX } from "./run_backup.ts";
import { sourceLines, storedLines } from "./stored_lines.ts";

/** A source whose page after event 3 never comes to its end. */
function stuckSource(): FakeSource {
  return new FakeSource((request) =>
    request.afterSequence === 3 && request.limit > 1
      ? { bytes: page(STORE, lines(4, 6).join("")).slice(0, -50), then: "hang" }
      : rightPage(request, 9)
  );
}

const limit = { SERVICE_BACKUP_PAGE_LIMIT: "3" };

async function untilCopied(place: BackupDirectories, events: number): Promise<void> {
  await eventually(() => assert.equal(storedLines(place.file(STORE)).length, events), START_SECONDS_MAX);
}

Deno.test("a run prints one line, with --quiet none, and errors in both cases", async () => {
  await using server = await startServer();
  const client = server.client();
  await client.append(event("1"));
  using place = new BackupDirectories(server.address);
  const first = await place.run();
  const line = `eventstore-backup: copied 1 event from ${place.source["SERVICE_BACKUP_SOURCE_URL"]} ` +
    `to ${place.file(await client.storeId())}, last sequence 1, in #.# s\n`;
  assert.deepEqual([first.code, first.stdout.replace(/in \d+\.\d s/, "in #.# s"), first.stderr], [
    0,
    line,
    "",
  ]);
  await client.append(event("2"), event("3"));
  assert.deepEqual(await place.run({ args: ["--quiet"] }), { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(await place.run({ args: ["--quiet", "--json"] }), { code: 0, stdout: "", stderr: "" });
  await server.stop();
  assertFailed(await place.run({ args: ["--quiet", "--json"] }), 1, /refused/);
});

Deno.test("a failed run with --json prints what is known on standard output, and the error on both outputs", async () => {
  await using source = stuckSource();
  using place = new BackupDirectories(source.address);
  await runJson(place, { ...limit, SERVICE_BACKUP_PAGE_LIMIT: "9" });
  const { durationSeconds, ...gone } = await runJson(place, {
    SERVICE_BACKUP_SOURCE_URL: "http://127.0.0.1:1",
  });
  assert.ok(durationSeconds >= 0);
  assert.deepEqual({ ...gone, error: "" }, {
    ok: false,
    error: "",
    source: "http://127.0.0.1:1",
    storeId: null,
    file: null,
    created: false,
    eventsCopied: 0,
    lastSequence: null,
    earlierStoreIds: [],
  });
});

Deno.test("every field of --json is documented, in its order", async () => {
  const text = Deno.readTextFileSync(new URL("../../docs/backup.md", import.meta.url));
  const documented = [...text.matchAll(/^- `(\w+)` \((?:boolean|string|integer|array|number)/gm)];
  await using source = new FakeSource((request) => rightPage(request, 2));
  using place = new BackupDirectories(source.address);
  assert.deepEqual(documented.map(([, name]) => name), Object.keys(await runJson(place)));
});

Deno.test("of two runs into one directory the second ends at once and names the first", async () => {
  await using source = stuckSource();
  using place = new BackupDirectories(source.address);
  const first = place.spawn({ env: limit });
  const ending = first.output();
  await untilCopied(place, 3);
  const holder = new RegExp(`backup is in use by another run: process ${first.pid} on \\S+, since \\d{4}-`);
  assertFailed(await place.run({ env: limit }), 1, holder);
  first.kill("SIGTERM");
  assert.equal((await ending).code, 1);
});

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  Deno.test(`${signal} ends a run that waits; whole pages stay, and no file besides`, async () => {
    await using source = stuckSource();
    using place = new BackupDirectories(source.address);
    const child = place.spawn({ env: limit });
    const ending = child.output();
    await untilCopied(place, 3);
    child.kill(signal);
    const { code, stderr } = await ending;
    assert.equal(code, 1);
    assert.match(
      new TextDecoder().decode(stderr),
      new RegExp(`^eventstore-backup: stopped by ${signal}\n$`),
    );
    assert.deepEqual(storedLines(place.file(STORE)), lines(1, 3));
    assert.equal(isThere(`${place.file(STORE)}-wal`), false);
  });
}

Deno.test("the lock of a killed run is free", async () => {
  await using source = stuckSource();
  using place = new BackupDirectories(source.address);
  const child = place.spawn({ env: limit });
  const ending = child.output();
  await untilCopied(place, 3);
  child.kill("SIGKILL");
  await ending;
  assert.match(Deno.readTextFileSync(join(place.dataDir, "backup.lock")), new RegExp(`"pid":${child.pid}`));
  assert.equal((await runJson(place, { SERVICE_BACKUP_PAGE_LIMIT: "1" })).lastSequence, 9);
});

Deno.test("a file that is no backup of this store is named and stays as it is", async () => {
  await using source = new FakeSource((request) => rightPage(request, 3));
  await using server = await startServer();
  await server.stop();
  const foreign: readonly (readonly [Uint8Array, RegExp])[] = [
    [new TextEncoder().encode("somebody else's"), /is not an SQLite database/],
    [new Uint8Array(), /is empty/],
    [otherVersion(Deno.readFileSync(server.databasePath)), /has schema version 77/],
    [Deno.readFileSync(server.databasePath), /is a database, but not a backup/],
  ];
  for (const [bytes, error] of foreign) {
    using place = new BackupDirectories(source.address);
    Deno.mkdirSync(place.dataDir);
    Deno.writeFileSync(place.file(STORE), bytes);
    assertFailed(await place.run(), 1, error);
    assert.deepEqual(Deno.readFileSync(place.file(STORE)), bytes);
  }
});

function otherVersion(bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice();
  changed[63] = 77;
  return changed;
}

Deno.test("it runs with an empty environment in another directory, where HOME cannot be written", async () => {
  await using server = await startServer();
  await server.client().append(event("1"));
  using place = new BackupDirectories(server.address);
  const config = join(place.directory, "cron.toml");
  const { port } = server.address as { port: number };
  const text = `[backup]\nsourceUrl = "http://127.0.0.1:${port}/"\ndataDir = "${place.dataDir}"\n`;
  Deno.writeTextFileSync(config, text);
  // Without an executable, the runtime needs its own cache.
  const cache = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
  const { code, stdout, stderr } = await place.run({
    args: ["--config", config],
    cwd: "/",
    isEnvironmentEmpty: true,
    isProcess: true,
    env: { HOME: "/proc", DENO_DIR: cache },
  });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /copied 1 event/);
  assert.deepEqual(
    storedLines(place.file(await server.client().storeId())),
    await sourceLines(server.client()),
  );
});

Deno.test("a backup whose file is deleted during the run fails, since nothing of it can be found again", async () => {
  const deletable: string[] = [];
  await using source = new FakeSource((request) => {
    if (request.afterSequence === 6) deletable.forEach((path) => Deno.removeSync(path));
    return rightPage(request, 10);
  });
  using place = new BackupDirectories(source.address);
  deletable.push(place.file(STORE));
  const expected = /\.db cannot be \w+: 1{8}-.*\.db was deleted or moved away/;
  assertFailed(await place.run({ env: limit }), 1, expected);
});
