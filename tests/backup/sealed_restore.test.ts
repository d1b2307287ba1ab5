import assert from "node:assert/strict";
import { join } from "node:path";
import { startServer } from "../support/server_process.ts";
import { change } from "./made_backup.ts";
import { assertFailed, BackupDirectories, event } from "./run_backup.ts";
import { restore, restoredId } from "./run_restore.ts";
import {
  copyKeys,
  forget,
  holdsBytes,
  keyIn,
  ofStudent,
  payloadsIn,
  payloadsOf,
  SECRET,
  subjectLines,
  SUBJECTS,
} from "./sealed_source.ts";

const [ONE, TWO, THREE] = ["s1", "s2", "s3"].map((student) => `${SECRET}${student}`);

Deno.test("a restore brings nobody back, whenever they were forgotten", async () => {
  await using server = await startServer({ env: SUBJECTS });
  const client = server.client();
  await client.append(ofStudent("s1"), event("plain"), ofStudent("s2"), ofStudent("s3"));
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  const keys = await copyKeys(place);
  const early = join(place.directory, "early.ndjson");
  Deno.writeTextFileSync(early, (await subjectLines(server, "/subjects/forgotten")).join(""));
  // The first is in the list of the next run, the second only in a list that is given.
  await forget(server, "s1");
  assert.equal((await place.run()).code, 0);
  await forget(server, "s2");
  const list = join(place.directory, "list.ndjson");
  Deno.writeTextFileSync(list, (await subjectLines(server, "/subjects/forgotten")).join(""));

  restoredId(await restore(place, "--to", "own", "--keys", keys));
  const own = join(place.directory, "own");
  assert.deepEqual(await payloadsIn(own), [null, "plain", TWO, THREE]);

  // A list of an earlier moment brings back no subject that the one of the backup has.
  restoredId(await restore(place, "--to", "early", "--keys", keys, "--forgotten", early));
  assert.deepEqual(await payloadsIn(join(place.directory, "early")), [null, "plain", TWO, THREE]);

  const ended = await restore(place, "--to", "both", "--keys", keys, "--forgotten", list);
  assert.match(ended.stdout, /^keys of subjects: 1 in use, 2 forgotten$/m);
  const both = join(place.directory, "both");
  assert.deepEqual(await payloadsIn(both), [null, "plain", null, THREE]);
  for (const [student, isThere] of [["s1", false], ["s2", false], ["s3", true]] as const) {
    const bytes = Uint8Array.fromBase64(keyIn(keys, student).key);
    assert.equal(holdsBytes(both, bytes), isThere, `the key of ${student}`);
    assert.equal(holdsBytes(place.dataDir, bytes), false, "no key is in the backup");
  }
});

Deno.test("a restored store writes on with the keys that it has, and its own backup knows who was forgotten", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"), ofStudent("s2"));
  await forget(server, "s1");
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  const keys = await copyKeys(place);
  const storeId = restoredId(await restore(place, "--to", "restored", "--keys", keys));
  await server.stop();

  const env = { ...SUBJECTS, SERVICE_DATA_DIR: join(place.directory, "restored") };
  await using again = await startServer({ env });
  await again.client().append(ofStudent("s1"), ofStudent("s2"));
  assert.deepEqual(await payloadsOf(again), [null, TWO, ONE, TWO]);
  const ids = (await subjectLines(again, "/subjects/keys")).slice(0, -1).map((line) => JSON.parse(line));
  assert.deepEqual(ids.map(({ value }) => value), ["s2", "s1"]);
  assert.equal(ids[0].id, keyIn(keys, "s2").id, "the old key");

  using next = new BackupDirectories(again.address);
  assert.equal((await next.run()).code, 0);
  const list = Deno.readTextFileSync(join(next.dataDir, `${storeId}.forgotten.ndjson`));
  assert.equal(list.split("\n").filter((line) => line.includes('"value":"s1"')).length, 1);
  // Forgotten a second time, now with the key of the restored store.
  await forget(again, "s1");
  await forget(again, "s2");
  assert.deepEqual(await payloadsOf(again), [null, null, null, null]);
});

Deno.test("encrypted events are restored with their keys, or knowingly without", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"), event("plain"));
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  const keys = await copyKeys(place);
  assertFailed(
    await restore(place, "--to", "data"),
    1,
    /has encrypted payloads, nothing was restored: give --keys, or --without-keys to leave these payloads unreadable$/m,
  );
  assertFailed(await restore(place, "--to", "data", "--keys", keys, "--without-keys"), 2, /cannot be given/);
  const without = await restore(place, "--to", "without", "--without-keys");
  restoredId(without);
  assert.match(without.stdout, /: 0 in use, 0 forgotten; 1 event unreadable for lack of a key$/m);
  assert.deepEqual(await payloadsIn(join(place.directory, "without")), [null, "plain"]);
  const dry = await restore(place, "--to", "with", "--keys", keys, "--dry-run");
  assert.match(dry.stdout, /; keys of subjects: 1 in use, 0 forgotten; nothing was changed$/m);
  assert.equal((await restore(place, "--to", "with", "--keys", keys, "--until", "1")).code, 0);
  assert.deepEqual(await payloadsIn(join(place.directory, "with")), [ONE]);

  // An event that lacks its key counts only if it is restored.
  await server.client().append(ofStudent("s2"));
  assert.equal((await place.run()).code, 0);
  for (const flags of [["--dry-run"], []]) {
    const part = await restore(place, "--to", "part", "--keys", keys, "--until", "2", ...flags);
    assert.match(part.stdout, /keys of subjects: 1 in use, 0 forgotten(; nothing was changed)?$/m);
  }

  // The list alone shows which subjects were forgotten after the keys were copied.
  Deno.removeSync(join(place.dataDir, `${await server.client().storeId()}.forgotten.ndjson`));
  assertFailed(await restore(place, "--to", "data", "--keys", keys), 1, /forgotten\.ndjson is missing/);
});

Deno.test("files of keys and lists that were changed, cut short or belong elsewhere are rejected by name", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"), ofStudent("s2"));
  await forget(server, "s2");
  await server.client().append(ofStudent("s2"));
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  const path = await copyKeys(place);
  const text = Deno.readTextFileSync(path);
  const { id, key } = keyIn(path, "s1");
  const bytes = Uint8Array.fromBase64(key);
  bytes[31]! ^= 1;
  const changes: readonly (readonly [string, RegExp])[] = [
    [text.replace(key, bytes.toBase64()), new RegExp(`line 1: the key ${id} was changed: its ID is not`)],
    [text.replace('"value":"s1"', '"value":"s9"'), /line 3: the trailer does not fit the lines before it/],
    [text.replace(/.*\n/, ""), /line 2: the trailer does not fit/],
    [text.split("\n").slice(0, 2).join("\n"), /line 2: the trailer is missing, so it was cut short/],
    [`${text}${text}`, /line 4: nothing may follow the trailer/],
    [text.replace(/"store":"[0-9a-f-]+"/, `"store":"${crypto.randomUUID()}"`), /has the keys of store/],
    ["", /cannot be read: the trailer is missing/],
  ];
  for (const [changed, expected] of changes) {
    Deno.writeTextFileSync(path, changed);
    assertFailed(await restore(place, "--to", "data", "--keys", path), 1, expected);
  }
  Deno.writeTextFileSync(path, text);
  const list = join(place.dataDir, `${await server.client().storeId()}.forgotten.ndjson`);
  const right = Deno.readTextFileSync(list);
  for (
    const changed of [right.replace('"id":"', '"id":"A').replace(/(.{16})."/, '$1"'), right.split("\n")[1]!]
  ) {
    Deno.writeTextFileSync(list, changed);
    assertFailed(await restore(place, "--to", "data", "--keys", path), 1, /forgotten\.ndjson, line \d: /);
    assertFailed(await place.run(), 1, /forgotten\.ndjson, line \d: /);
  }
});

Deno.test("a backup that holds keys is not restored", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"));
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  change(place.file(await server.client().storeId()), (db) => {
    db.run("INSERT INTO subject_key (key) VALUES (zeroblob(32))");
    db.run("INSERT INTO subject VALUES ('x', x'00', x'00', 1, NULL)");
  });
  const expected = /it has keys of subjects, which belong in a file of their own/;
  assertFailed(await restore(place, "--to", "data", "--without-keys"), 1, expected);
});
