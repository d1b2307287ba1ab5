import assert from "node:assert/strict";
import { join } from "node:path";
import { runInit } from "../cli/run_init.ts";
import { modeOf, namesIn } from "../support/directory.ts";
import { startServer } from "../support/server_process.ts";
import { change, placeWithoutSource } from "./made_backup.ts";
import { assertFailed, BackupDirectories, event } from "./run_backup.ts";
import {
  copyKeys,
  forget,
  keyIn,
  ofStudent,
  payloadsIn,
  SECRET,
  subjectLines,
  SUBJECTS,
} from "./sealed_source.ts";

/* Keys of a stopped server. */

Deno.test("keys and list of a stopped server are those that it sent, and an import takes them", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"), event("plain"), ofStudent("s2"), ofStudent("s3"));
  await forget(server, "s2");
  using place = new BackupDirectories(server.address);
  const sent = Deno.readTextFileSync(await copyKeys(place, "keys_sent.ndjson"));
  const list = (await subjectLines(server, "/subjects/forgotten")).slice(0, -1);
  const args = ["keys", "--from", server.dataDir, "--output", "keys", "--forgotten", "list"];
  assertFailed(await place.run({ args }), 1, /is in use by another process/);
  assert.deepEqual(namesIn(place.directory), ["keys_sent.ndjson"]);
  await server.kill();

  const { code, stdout, stderr } = await place.run({ args });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /\/keys: 2 keys of store [0-9a-f-]{36}\n$/);
  const [keys, forgotten] = ["keys", "list"].map((name) => join(place.directory, name));
  assert.equal(Deno.readTextFileSync(keys!), sent);
  assert.equal(Deno.readTextFileSync(forgotten!).split(/(?<=\n)/).slice(0, -1).join(""), list.join(""));
  assert.deepEqual([keys!, forgotten!].map(modeOf), [0o600, 0o600]);
  const quiet = await place.run({ args: ["keys", "--from", server.dataDir, "--output", "keys", "--quiet"] });
  assert.deepEqual(quiet, { code: 0, stdout: "", stderr: "" });

  const exported = ["export", "--from", server.dataDir, "--move", "--output", "moved"];
  assert.equal((await place.run({ args: exported })).code, 0);
  const imported = ["--import", "moved", "--keep-store-id", "--keys", "keys", "--forgotten", "list"];
  const made = await runInit(place.directory, [...imported, "--data-dir", "data"]);
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  assert.match(made.stdout, /^keys of subjects: 2 in use, 1 forgotten$/m);
  const payloads = [`${SECRET}s1`, "plain", null, `${SECRET}s3`];
  assert.deepEqual(await payloadsIn(join(place.directory, "data")), payloads);
});

Deno.test("a store without subjects has no keys, and an import of it takes the empty files", async () => {
  await using server = await startServer();
  await server.client().append(event("plain"));
  await server.stop();
  using place = placeWithoutSource();
  const config = join(place.directory, "server.toml");
  Deno.writeTextFileSync(config, `[server]\ndataDir = "${server.dataDir}"\n`);
  const from = ["--config", config, "--from-server", "--output"];
  const copied = await place.run({ args: ["keys", ...from, "keys", "--forgotten", "list"] });
  assert.deepEqual([copied.code, copied.stderr], [0, ""]);
  assert.match(copied.stdout, /: 0 keys of store /);
  assert.equal((await place.run({ args: ["export", ...from, "events"] })).code, 0);
  const args = ["--import", "events", "--keys", "keys", "--forgotten", "list", "--data-dir", "data"];
  const made = await runInit(place.directory, args);
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  assert.doesNotMatch(made.stdout, /subjects/);
  await using again = await startServer({ env: { SERVICE_DATA_DIR: join(place.directory, "data") } });
  assert.deepEqual((await again.client().queryEvents("*")).events.map(({ payload }) => payload), ["plain"]);
});

Deno.test("a wrong place, a contradiction and a changed key are named, and no file is written", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"), ofStudent("s2"));
  using place = new BackupDirectories(server.address);
  const sent = await copyKeys(place, "keys_sent.ndjson");
  await server.stop();
  const keys = ["keys", "--output", "keys"];
  const fromServer = [...keys, "--from-server", "--from", server.dataDir];
  assertFailed(await place.run({ args: fromServer }), 2, /only one of --from and --from-server can be given/);
  assertFailed(await place.run({ args: [...keys, "--forgotten", "list"] }), 2, /--forgotten needs --from or/);
  const nowhere = [...keys, "--from", "nowhere"];
  assertFailed(await place.run({ args: nowhere }), 1, /there is no database at \S+\/nowhere\/events\.db$/m);
  const missing = [...keys, "--from", server.dataDir, "--config", "missing.toml"];
  assertFailed(await place.run({ args: missing }), 2, /missing\.toml: cannot be read/);
  const database = join(server.dataDir, "events.db");
  const list = [...keys, "--from", server.dataDir, "--forgotten", database];
  assertFailed(await place.run({ args: list }), 1, /events\.db is a database; it will not be replaced/);

  change(database, (db) => db.run("UPDATE subject_key SET key = zeroblob(length(key)) WHERE row = 2"));
  const { id } = keyIn(sent, "s2");
  assertFailed(
    await place.run({ args: [...keys, "--from", server.dataDir] }),
    1,
    new RegExp(
      `/events\\.db is damaged: the key ${id} was changed: its ID is not the hash of its bytes$`,
      "m",
    ),
  );
  assert.deepEqual(namesIn(place.directory), ["keys_sent.ndjson"]);
});

Deno.test("wrapped keys of a stopped server need the master key in its configuration", async () => {
  const masterKey = new Uint8Array(32).fill(7).toBase64();
  await using server = await startServer({ env: { ...SUBJECTS, SERVICE_MASTER_KEY: masterKey } });
  await server.client().append(ofStudent("s1"));
  const [sent] = await subjectLines(server, "/subjects/keys");
  await server.stop();
  using place = placeWithoutSource();
  const args = ["keys", "--from", server.dataDir, "--output", "keys"];
  assertFailed(
    await place.run({ args }),
    1,
    new RegExp(
      "/events\\.db cannot be read: keys of its subjects are wrapped with the master key [0-9a-f]{16}, " +
        "which neither masterKeyFile nor masterKey has; only --from-server reads these settings$",
      "m",
    ),
  );
  assert.deepEqual(namesIn(place.directory), []);
  const config = join(place.directory, "server.toml");
  Deno.writeTextFileSync(join(place.directory, "master.key"), masterKey, { mode: 0o600 });
  Deno.writeTextFileSync(
    config,
    `[server]\ndataDir = "${server.dataDir}"\nsubjects = ["student"]\nmasterKeyFile = "master.key"\n`,
  );
  const { code, stderr } = await place.run({
    args: ["keys", "--config", config, "--from-server", "--output", "keys"],
  });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.ok(Deno.readTextFileSync(join(place.directory, "keys")).startsWith(sent!));
});
