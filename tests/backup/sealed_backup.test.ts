import assert from "node:assert/strict";
import { join } from "node:path";
import { isThere } from "../../src/files/is_there.ts";
import { eventually } from "../support/eventually.ts";
import { modeOf, namesIn } from "../support/directory.ts";
import { startServer } from "../support/server_process.ts";
import { startWithTokens, tokenToml } from "../support/tokens.ts";
import { FakeSource, rejection, rightPage, STORE } from "./fake_source.ts";
import { assertFailed, BackupDirectories, event, runJson, START_SECONDS_MAX } from "./run_backup.ts";
import {
  copyKeys,
  forget,
  holdsBytes,
  keyIn,
  ofStudent,
  SECRET,
  subjectLines,
  SUBJECTS,
} from "./sealed_source.ts";
import { storedLines } from "./stored_lines.ts";

const forgottenFile = (storeId: string): string => `${storeId}.forgotten.ndjson`;

for (const edition of ["A", "B", "C"]) {
  Deno.test(`edition ${edition}: a backup has the events as they are stored, and no payload of a subject`, async () => {
    await using server = await startServer({ env: { ...SUBJECTS, SERVICE_EDITION: "A" } });
    await server.client().append(ofStudent("s1"), event("plain"), ofStudent("s2"));
    await server.stop();
    const env = { ...SUBJECTS, SERVICE_EDITION: edition, SERVICE_DATA_DIR: server.dataDir };
    await using source = await startServer({ env });
    using place = new BackupDirectories(source.address);
    const { ok, eventsCopied, storeId } = await runJson(place, { SERVICE_BACKUP_PAGE_LIMIT: "2" });
    assert.deepEqual([ok, eventsCopied], [true, 3]);
    const reply = await source.client().request("QUERY", "/events/stored", { json: {} });
    assert.equal(storedLines(place.file(storeId!)).join("") + '{"hasMore":false}\n', reply.text);
    assert.equal(holdsBytes(place.dataDir, new TextEncoder().encode(SECRET)), false);
    assert.deepEqual(
      namesIn(place.dataDir),
      ["backup.lock", `${storeId}.db`, forgottenFile(storeId!)].sort(),
    );
    assert.equal(modeOf(join(place.dataDir, forgottenFile(storeId!))), 0o600);
    const verified = await place.run({ args: ["verify", "--against-source"] });
    assert.match(verified.stdout, /: ok, 3 events, 2 encrypted, equal to those of /);
    assert.equal((await runJson(place)).eventsCopied, 0);
  });
}

Deno.test("what was forgotten stays in the list, whatever the source says later", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"), ofStudent("s2"));
  using place = new BackupDirectories(server.address);
  const { storeId } = await runJson(place);
  const path = join(place.dataDir, forgottenFile(storeId!));
  const names = (): string[] =>
    Deno.readTextFileSync(path).split("\n").flatMap((line) => /"value":"(\w+)"/.exec(line)?.[1] ?? []);
  assert.deepEqual(names(), []);
  await forget(server, "s1");
  await runJson(place);
  assert.deepEqual(names(), ["s1"]);
  // A list of an earlier moment is written over the file, as when a part of the directory is restored.
  const line =
    '{"id":"AAAAAAAAAAAAAAAA","name":"student","value":"s0","forgotten":"2026-01-01T00:00:00.000000Z"}\n';
  Deno.writeTextFileSync(path, `${line}{"hasMore":false}\n`);
  await runJson(place);
  assert.deepEqual(names(), ["s0", "s1"]);
  await forget(server, "s2");
  await server.client().append(ofStudent("s1"));
  await forget(server, "s1");
  await runJson(place);
  assert.deepEqual(names(), ["s0", "s1", "s2", "s1"], "once for each key");
  const before = Deno.statSync(path).mtime;
  await runJson(place);
  assert.deepEqual(Deno.statSync(path).mtime, before, "nothing new, so nothing is written");
});

Deno.test("a store that gets subjects later has its plain events and the encrypted ones in one backup", async () => {
  await using server = await startServer();
  await server.client().append(ofStudent("s1"));
  using place = new BackupDirectories(server.address);
  const { storeId } = await runJson(place);
  await server.stop();
  const env = { ...SUBJECTS, SERVICE_DATA_DIR: server.dataDir };
  await using again = await startServer({ env });
  await again.client().append(ofStudent("s1"));
  using next = new BackupDirectories(again.address);
  Deno.renameSync(place.dataDir, next.dataDir);
  assert.equal((await runJson(next)).eventsCopied, 1);
  const [plain, sealed] = storedLines(next.file(storeId!));
  assert.match(plain!, /"payload":"secret of s1"\}\n$/);
  assert.match(sealed!, /"payload":"","sealed":\{"keys":\[\["student","/);
});

Deno.test("a source that got subjects while a page was read is rejected before the page is kept", async () => {
  const withSubjects = rejection(200, { name: null, may: ["copy"], subjects: ["student"] });
  const without = rejection(200, { name: null, may: ["copy"] });
  await using source = new FakeSource((request) => {
    if (request.afterSequence === 3) source.whoami = () => withSubjects;
    return rightPage(request, 9);
  });
  source.whoami = () => without;
  using place = new BackupDirectories(source.address);
  const env = { SERVICE_BACKUP_PAGE_LIMIT: "3" };
  assertFailed(await place.run({ env }), 1, /got subjects during the run\. Nothing of this page was kept/);
  assert.equal(storedLines(place.file(STORE)).length, 3);
});

Deno.test("a source that encrypted payloads before, and now says that it has no subjects, is rejected", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"));
  using place = new BackupDirectories(server.address);
  const { storeId } = await runJson(place);
  await using fake = new FakeSource((request) => rightPage(request, 2, storeId!));
  using other = new BackupDirectories(fake.address);
  Deno.renameSync(place.dataDir, other.dataDir);
  assertFailed(await other.run(), 1, /has encrypted payloads, but the source says that it has no subjects$/m);
});

Deno.test("each verb needs its right, and says which one a token lacks", async () => {
  const tokens = tokenToml("reader", "r", ["read", "keys"]) + tokenToml("backup", "c", ["copy"]);
  await using server = await startWithTokens("A", tokens + tokenToml("writer", "w", ["write"]), SUBJECTS);
  const { status } = await server.client({ authorization: "Bearer w" }).request("POST", "/write", {
    json: { events: [ofStudent("s1")] },
  });
  assert.equal(status, 200);
  using place = new BackupDirectories(server.address);
  const token = (SERVICE_BACKUP_SOURCE_TOKEN: string) => ({ env: { SERVICE_BACKUP_SOURCE_TOKEN } });
  const copy =
    /its token reader lacks the right "copy", which is needed to copy the events of a store with subjects$/m;
  assertFailed(await place.run(token("r")), 1, copy);
  assert.equal((await place.run(token("c"))).code, 0, "the right to read is not needed");
  const output = join(place.directory, "keys.ndjson");
  const args = ["keys", "--output", output];
  const keys = /its token backup lacks the right "keys", which is needed to read the keys of subjects$/m;
  assertFailed(await place.run({ args, ...token("c") }), 1, keys);
  assert.equal(isThere(output), false);
  assert.equal((await place.run({ args, ...token("r") })).code, 0);
});

Deno.test("keys are copied into one file that its owner alone can read, whole or not at all", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"), ofStudent("s2"), ofStudent("s3"));
  await forget(server, "s2");
  using place = new BackupDirectories(server.address);
  await runJson(place);
  const storeId = await server.client().storeId();
  // A file of a killed run, with a key that may be forgotten by now.
  Deno.writeTextFileSync(join(place.directory, "keys.ndjson.123.new"), "left");
  const path = await copyKeys(place);
  const text = Deno.readTextFileSync(path);
  const served = (await subjectLines(server, "/subjects/keys")).slice(0, -1);
  assert.deepEqual(text.split(/(?<=\n)/).slice(0, -1), served);
  assert.match(
    text,
    new RegExp(`\\{"complete":true,"store":"${storeId}","lines":2,"chain":"[0-9a-f]{64}"\\}\\n$`),
  );
  assert.equal(modeOf(path), 0o600);
  assert.deepEqual(namesIn(place.directory), ["backup", "keys.ndjson"]);
  assert.equal(holdsBytes(place.dataDir, new TextEncoder().encode(keyIn(path, "s1").key)), false);

  assert.deepEqual(await place.run({ args: ["keys", "--quiet", "--output", path] }), {
    code: 0,
    stdout: "",
    stderr: "",
  });
  await server.stop();
  assertFailed(await place.run({ args: ["keys", "--output", path] }), 1, /the source .*refused/);
  assert.equal(Deno.readTextFileSync(path), text, "the earlier file stays");
  const database = place.file(storeId);
  assertFailed(await place.run({ args: ["keys", "--output", database] }), 1, /refused|is a database/);
});

Deno.test("a list of keys that was cut short, or has a changed key, leaves no file", async () => {
  const whoami = rejection(200, { name: null, may: ["keys"], subjects: ["student"] });
  const key = new Uint8Array(32).toBase64();
  const line = `{"id":"Zmh6rfhivXdsj8GL","name":"student","value":"s1","key":"${key}"}\n`;
  const answers: readonly (readonly [string, RegExp | undefined])[] = [
    [`${line}{"hasMore":false}\n`, undefined],
    [line, /no trailer, so it was cut short/],
    [`${line.replace("Zm", "Zn")}{"hasMore":false}\n`, /the key Znh6rfhivXdsj8GL was changed/],
    [`${line.replace('"s1"', '"s1" ')}{"hasMore":false}\n`, /is not in the form that this program writes/],
  ];
  for (const [text, expected] of answers) {
    await using source = new FakeSource(() => {
      const bytes = new TextEncoder().encode(text).length.toString(16);
      return `HTTP/1.1 200 OK\r\nX-Service-Store: ${STORE}\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `${bytes}\r\n${text}\r\n0\r\n\r\n`;
    });
    source.whoami = () => whoami;
    using place = new BackupDirectories(source.address);
    const ended = await place.run({ args: ["keys", "--output", join(place.directory, "keys")] });
    if (expected === undefined) assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    else assertFailed(ended, 1, expected);
    assert.deepEqual(namesIn(place.directory), expected === undefined ? ["keys"] : []);
  }
  await using server = await startServer();
  using place = new BackupDirectories(server.address);
  const none = await place.run({ args: ["keys", "--output", join(place.directory, "keys")] });
  assertFailed(none, 1, /it has no subjects, so there are no keys$/m);
});

Deno.test("a run that is killed has the list, and the next one continues", async () => {
  await using server = await startServer({ env: SUBJECTS });
  const events = Array.from({ length: 100 }, (_, i) => ofStudent(`s${i % 7}`));
  for (let i = 0; i < 3; i++) await server.client().append(...events);
  await forget(server, "s1");
  const storeId = await server.client().storeId();
  using place = new BackupDirectories(server.address);
  const env = { SERVICE_BACKUP_PAGE_LIMIT: "1" };
  const child = place.spawn({ env });
  const ending = child.output();
  await eventually(() => assert.ok(storedLines(place.file(storeId)).length > 2), START_SECONDS_MAX);
  child.kill("SIGKILL");
  assert.equal((await ending).signal, "SIGKILL");
  const kept = storedLines(place.file(storeId)).length;
  assert.ok(kept < 300, "it was killed in the middle");
  assert.match(Deno.readTextFileSync(join(place.dataDir, forgottenFile(storeId))), /"value":"s1"/);
  const { ok, eventsCopied } = await runJson(place, env);
  assert.deepEqual([ok, eventsCopied], [true, 300 - kept]);
  const { text } = await server.client().request("QUERY", "/events/stored", { json: { limit: 1000 } });
  assert.equal(`${storedLines(place.file(storeId)).join("")}{"hasMore":false}\n`, text);
});
