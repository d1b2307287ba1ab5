import assert from "node:assert/strict";
import { join } from "node:path";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import { seededRandom, testSeed } from "../support/test_seed.ts";
import { change } from "./made_backup.ts";
import { assertFailed, BackupDirectories, event, verify } from "./run_backup.ts";
import { copyKeys, forget, keyIn, ofStudent, SUBJECTS } from "./sealed_source.ts";

const CHANGES_MAX = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 500 : 25;

/** A backup of five events, two of a subject that is known, one of a forgotten one, and one without its key. */
async function withBackup(
  run: (place: BackupDirectories, server: ServerProcess, file: string, keys: string) => Promise<void>,
): Promise<void> {
  await using server = await startServer({ env: SUBJECTS });
  const client = server.client();
  await client.append(ofStudent("s1"), event("plain"), ofStudent("s2"));
  await forget(server, "s2");
  using place = new BackupDirectories(server.address);
  const keys = await copyKeys(place);
  await client.append(ofStudent("s1"), ofStudent("s3"));
  assert.equal((await place.run()).code, 0);
  await run(place, server, place.file(await client.storeId()), keys);
}

Deno.test("verify counts encrypted payloads, and decrypts those whose keys it gets", async () => {
  await withBackup(async (place, _server, _file, keys) => {
    assert.match((await verify(place)).stdout, /: ok, 5 events, 4 encrypted; root [0-9a-f]{64}@5\n$/);
    const { code, stdout } = await verify(place, "--keys", keys);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /: ok, 5 events, 4 encrypted \(2 decrypted, 1 forgotten, 1 without a key\); root [0-9a-f]{64}@5\n$/,
    );
    const { storeId: _, root, ...json } = JSON.parse((await verify(place, "--keys", keys, "--json")).stdout);
    assert.deepEqual(json, {
      ok: true,
      events: 5,
      comparedWithSource: false,
      encrypted: 4,
      decrypted: 2,
      forgotten: 1,
      withoutKey: 1,
      problems: [],
    });
    const [, printed] = /root ([0-9a-f]{64})/.exec(stdout)!;
    assert.equal(root, printed);
  });
});

/** Changes to the first event, which the keys show, and the report without them. */
const CHANGES: readonly (readonly [what: string, sql: string, without: RegExp, withKeys: RegExp])[] = [
  [
    "a bit of the ciphertext",
    `UPDATE event SET body = substr(body, 1, instr(body, '"data":"') + 40)
      || iif(substr(body, instr(body, '"data":"') + 41, 1) = 'A', 'B', 'A')
      || substr(body, instr(body, '"data":"') + 42) WHERE sequence = 1`,
    /: not ok: the Merkle tree differs: at least one of events 1 to 5/,
    /: not ok: the encrypted payload of event 1 was changed, or the event around it; the Merkle tree differs/,
  ],
  [
    "the time",
    "UPDATE event SET time = time + 1 WHERE sequence = 1",
    /: not ok: the Merkle tree differs/,
    /the encrypted payload of event 1 was changed/,
  ],
  [
    "the length of the Base64",
    `UPDATE event SET body = replace(body, '"}', 'A"}') WHERE sequence = 1`,
    /: not ok: event 1 is damaged: sealed is not an encrypted payload/,
    /: not ok: event 1 is damaged: sealed is not an encrypted payload/,
  ],
  [
    "the name of the subject next to the key",
    `UPDATE event SET body = replace(body, '[["student"', '[["other"') WHERE sequence = 1`,
    /: not ok: event 1 is damaged: the keys of sealed are not those of its subjects/,
    /: not ok: event 1 is damaged: the keys of sealed are not those of its subjects/,
  ],
];

for (const [what, sql, without, withKeys] of CHANGES) {
  Deno.test(`verify names an event in which ${what} was changed`, async () => {
    await withBackup(async (place, _server, file, keys) => {
      change(file, (db) => db.run(sql));
      for (const [expected, ...args] of [[without], [withKeys, "--keys", keys]] as const) {
        const { code, stdout } = await verify(place, ...args);
        assert.equal(code, 1);
        assert.match(stdout, expected);
      }
    });
  });
}

Deno.test("verify names a changed key, and reports a list that is missing or changed", async () => {
  await withBackup(async (place, server, file, keys) => {
    const text = Deno.readTextFileSync(keys);
    const { id, key } = keyIn(keys, "s1");
    const bytes = Uint8Array.fromBase64(key);
    bytes[0]! ^= 128;
    Deno.writeTextFileSync(keys, text.replace(key, bytes.toBase64()));
    assertFailed(
      await verify(place, "--keys", keys),
      1,
      new RegExp(`keys.ndjson, line 1: the key ${id} was changed`),
    );
    Deno.writeTextFileSync(keys, text.replace(await server.client().storeId(), crypto.randomUUID()));
    assertFailed(
      await verify(place, "--keys", keys),
      1,
      /has the keys of store .*, which is not among the backups/,
    );
    const list = file.replace(/db$/, "forgotten.ndjson");
    const right = Deno.readTextFileSync(list);
    Deno.writeTextFileSync(list, right.replace('"s2"', '"s3"'));
    assert.match(
      (await verify(place)).stdout,
      /: not ok: .*forgotten\.ndjson, line 2: the trailer does not fit/,
    );
    Deno.writeTextFileSync(list, right.replace(/"store":"[0-9a-f-]+"/, `"store":"${crypto.randomUUID()}"`));
    assert.match(
      (await verify(place)).stdout,
      /: not ok: .*forgotten\.ndjson is the list of store [0-9a-f-]{36}, not of /,
    );
    Deno.removeSync(list);
    assert.match((await verify(place)).stdout, /: not ok: .*forgotten\.ndjson is missing\n$/);
  });
});

Deno.test("verify names a key next to which the source had another name or value", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"), ofStudent("s2"), ofStudent("s1"), ofStudent("s3"));
  await forget(server, "s2");
  assert.equal((await server.stop()).code, 0);
  change(server.databasePath, (db) => {
    db.run("UPDATE subject SET value = CAST('s4' AS BLOB) WHERE key_row = 1");
    db.run("UPDATE subject SET value = CAST('s5' AS BLOB) WHERE key_row = 2");
    db.run("UPDATE subject SET name = CAST('studenu' AS BLOB) WHERE key_row = 3");
  });
  await server.start();
  using place = new BackupDirectories(server.address);
  const keys = await copyKeys(place);
  assert.equal((await place.run()).code, 0);
  const { code, stdout } = await verify(place, "--keys", keys, "--json");
  assert.equal(code, 1);
  const changed = (student: string, file: string, event: number): RegExp =>
    new RegExp(
      `^the name or value next to the key ${keyIn(keys, student).id} in ${file} was changed: ` +
        `it is not that of event ${event}$`,
    );
  const [first, second, third, ...others] = JSON.parse(stdout).problems as string[];
  assert.match(first!, changed("s4", "the file of keys", 1));
  assert.match(second!, /^the name or value next to the key .{16} in the list of forgotten keys was changed/);
  assert.match(third!, changed("s3", "the file of keys", 4));
  assert.deepEqual(others, []);
});

Deno.test("list and export work with encrypted events, and an export has them as they are stored", async () => {
  await withBackup(async (place, server) => {
    assert.match((await place.run({ args: ["list"] })).stdout, / 5 {7}/);
    const output = join(place.directory, "events.ndjson");
    assert.equal((await place.run({ args: ["export", "--output", output] })).code, 0);
    const lines = Deno.readTextFileSync(output).split("\n").slice(0, -2).join("\n");
    const { text } = await server.client().request("QUERY", "/events/stored", { json: {} });
    assert.equal(`${lines}\n{"hasMore":false}\n`, text);
  });
});

Deno.test("with the keys, verify names an encrypted event in which any bit was changed", async () => {
  await withBackup(async (place, _server, file, keys) => {
    const random = seededRandom(testSeed());
    const bodyOf = (): string => {
      let body = "";
      change(file, (db) => body = db.get("SELECT body FROM event WHERE sequence = 1")![0] as string);
      return body;
    };
    const body = bodyOf();
    for (let i = 0; i < CHANGES_MAX; i++) {
      const at = random(body.length);
      const changed = String.fromCharCode(body.charCodeAt(at) ^ (1 << random(7)));
      const text = body.slice(0, at) + changed + body.slice(at + 1);
      change(file, (db) => db.run("UPDATE event SET body = ? WHERE sequence = 1", text));
      const { code, stdout } = await verify(place, "--keys", keys);
      assert.equal(code, 1);
      assert.match(stdout, /\bevent 1[ :;]/, `${JSON.stringify(changed)} at ${at}`);
    }
    change(file, (db) => db.run("UPDATE event SET body = ? WHERE sequence = 1", body));
    assert.equal((await verify(place, "--keys", keys)).code, 0);
  });
});

Deno.test("verify names a file of keys, or a list, in which any bit was changed", async () => {
  await withBackup(async (place, _server, file, keys) => {
    const random = seededRandom(testSeed());
    for (const path of [keys, file.replace(/db$/, "forgotten.ndjson")]) {
      const right = Deno.readFileSync(path);
      for (let i = 0; i < CHANGES_MAX; i++) {
        const bytes = right.slice();
        const at = random(bytes.length);
        bytes[at]! ^= 1 << random(8);
        Deno.writeFileSync(path, bytes);
        const { code, stdout, stderr } = await verify(place, "--keys", keys);
        assert.equal(code, 1);
        assert.ok((stdout + stderr).includes(path), `byte ${at} of ${path}: ${stdout}${stderr}`);
      }
      Deno.writeFileSync(path, right);
    }
    assert.equal((await verify(place, "--keys", keys)).code, 0);
  });
});
