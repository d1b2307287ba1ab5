import assert from "node:assert/strict";
import { join } from "node:path";
import { BackupDirectories, event } from "../backup/run_backup.ts";
import {
  copyKeys,
  forget,
  holdsBytes,
  ofStudent,
  payloadsIn,
  payloadsOf,
  SECRET,
  subjectLines,
  SUBJECTS,
} from "../backup/sealed_source.ts";
import { startServer } from "../support/server_process.ts";
import { runInit } from "./run_init.ts";

const [ONE, TWO] = [`${SECRET}s1`, `${SECRET}s2`];
const secret = new TextEncoder().encode(SECRET);

Deno.test("encrypted events are imported as they are, with keys of which those of the forgotten are left out", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"), event("plain"), ofStudent("s2"));
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  const keys = await copyKeys(place);
  await forget(server, "s1");
  const list = join(place.directory, "list.ndjson");
  Deno.writeTextFileSync(list, (await subjectLines(server, "/subjects/forgotten")).join(""));
  const exported = join(place.directory, "events.ndjson");
  assert.equal((await place.run({ args: ["export", "--output", exported] })).code, 0);
  const init = (name: string, ...args: string[]) =>
    runInit(place.directory, ["--data-dir", name, "--import", exported, ...args]);

  const missing = await init("none");
  assert.deepEqual([missing.code, missing.stdout], [1, ""]);
  assert.match(
    missing.stderr,
    /was not imported: line 1: the payload is encrypted: give --keys, or --without-keys/,
  );
  const unlisted = await init("none", "--keys", keys);
  assert.equal(unlisted.code, 2);
  assert.match(unlisted.stderr, /--keys needs a list of those who were forgotten; name one with --forgotten/);

  const { stdout } = await init("with", "--keys", keys, "--forgotten", list);
  assert.match(stdout, /\n3 events imported\nkeys of subjects: 1 in use, 1 forgotten\n$/);
  assert.deepEqual(await payloadsIn(join(place.directory, "with")), [null, "plain", TWO]);
  const without = await init("without", "--without-keys");
  assert.match(without.stdout, /0 in use, 0 forgotten; 2 events unreadable for lack of a key\n$/);
  assert.deepEqual(await payloadsIn(join(place.directory, "without")), [null, "plain", null]);
  const stray = await runInit(place.directory, ["--data-dir", "x", "--without-keys"]);
  assert.match(stray.stderr, /--keys, --without-keys and --forgotten need --import/);
});

for (const flag of ["--import", "--import-plain"]) {
  Deno.test(`with the setting subjects, ${flag} encrypts the payloads of plain events`, async () => {
    await using old = await startServer();
    await old.client().append(ofStudent("s1"), event("plain"), ofStudent("s2"), ofStudent("s1"));
    await old.stop();
    using place = new BackupDirectories(old.address);
    const exported = join(place.directory, "events.ndjson");
    assert.equal(
      (await place.run({ args: ["export", "--from", old.dataDir, "--output", exported] })).code,
      0,
    );
    if (flag === "--import-plain") {
      const lines = Deno.readTextFileSync(exported).split("\n").slice(0, -2);
      const plain = lines.map((line) => JSON.stringify({ ...JSON.parse(line), sequence: undefined }));
      Deno.writeTextFileSync(exported, `${plain.join("\n")}\n`);
    }
    const dataDir = join(place.directory, "new");
    const env = { ...SUBJECTS, SERVICE_DATA_DIR: dataDir };
    const { code, stdout, stderr } = await runInit(place.directory, [flag, exported], { env });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /\n4 events imported\npayloads of student are encrypted\n$/);
    assert.equal(holdsBytes(dataDir, secret), false);
    await using server = await startServer({ env });
    assert.deepEqual(await payloadsOf(server), [ONE, "plain", TWO, ONE]);
    assert.equal((await subjectLines(server, "/subjects/keys")).length, 3, "a key for each student");
    await forget(server, "s1");
    assert.deepEqual(await payloadsOf(server), [null, "plain", TWO, null]);
  });
}

Deno.test("encrypted and plain events of one person get the same key", async () => {
  await using server = await startServer();
  await server.client().append(ofStudent("s1"));
  await server.stop();
  await using again = await startServer({ env: { ...SUBJECTS, SERVICE_DATA_DIR: server.dataDir } });
  await again.client().append(ofStudent("s1"));
  using place = new BackupDirectories(again.address);
  const keys = await copyKeys(place);
  const list = join(place.directory, "list.ndjson");
  Deno.writeTextFileSync(list, (await subjectLines(again, "/subjects/forgotten")).join(""));
  await again.stop();
  const exported = join(place.directory, "events.ndjson");
  assert.equal(
    (await place.run({ args: ["export", "--from", server.dataDir, "--output", exported] })).code,
    0,
  );
  const args = ["--data-dir", "new", "--import", exported, "--keys", keys, "--forgotten", list];
  assert.equal((await runInit(place.directory, args, { env: SUBJECTS })).code, 0);
  const dataDir = join(place.directory, "new");
  assert.equal(holdsBytes(dataDir, secret), false);
  await using sealed = await startServer({ env: { ...SUBJECTS, SERVICE_DATA_DIR: dataDir } });
  assert.deepEqual(await payloadsOf(sealed), [ONE, ONE]);
  assert.equal((await subjectLines(sealed, "/subjects/keys")).length, 2);
});
