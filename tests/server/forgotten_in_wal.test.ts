import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Reply } from "../support/connection.ts";
import { eventually } from "../support/eventually.ts";
import { metrics } from "../support/metrics.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import { WaitingRead } from "../support/waiting_read.ts";

/* The promise of docs/privacy.md while another program reads the file of the database for long. */

const identifier = { name: "student", value: "s1" };
const latin1 = new TextDecoder("latin1");

/** Read by another process: to close a file in this one would release the locks that SQLite holds on it here. */
function bytesOf(path: string): string {
  const { success, stdout } = new Deno.Command("cat", { args: [path] }).outputSync();
  assert.ok(success, path);
  return latin1.decode(stdout);
}

const ENV = { SERVICE_SUBJECTS: "student" };

function forgetIn(server: ServerProcess, events: readonly object[] = []): Promise<Reply> {
  return server.client().request("POST", "/forget", { json: { identifier, events } });
}

/** Writes an event of the subject. @returns what names the files that have the key of the subject */
async function withKey(server: ServerProcess): Promise<() => string[]> {
  const client = server.client();
  await client.append({ type: "Registered", identifiers: { student: "s1" }, payload: "Ada" });
  const keys = (await client.request("GET", "/subjects/keys")).text.split("\n");
  const key = latin1.decode(Uint8Array.fromBase64(JSON.parse(keys[0]!).key));
  return () =>
    [...Deno.readDirSync(server.dataDir)].map(({ name }) => name)
      .filter((name) => bytesOf(join(server.dataDir, name)).includes(key));
}

/** Reads as another program does, until it is closed. */
function readForLong(server: ServerProcess): DatabaseSync {
  const db = new DatabaseSync(server.databasePath, { readOnly: true });
  db.exec("BEGIN");
  db.prepare("SELECT count(*) FROM events").get();
  return db;
}

Deno.test("while another program reads for long, forgetting gets no answer; once it ends, the key is in no file", async () => {
  await using server = await startServer({ env: ENV });
  const client = server.client();
  const filesWithKey = await withKey(server);
  const forget = (): Promise<Reply> => forgetIn(server);
  {
    using _reader = readForLong(server);
    using waiting = await WaitingRead.begin(client, [{ types: ["Forgotten"] }]);
    const events = [{ type: "Forgotten", identifiers: {}, metadata: {}, payload: "" }];
    await assert.rejects(forgetIn(server, events), "it must not answer before the WAL is empty");
    await eventually(() => assert.ok(waiting.isAnswered, "a client that waits gets the event"));
    await eventually(() =>
      assert.match(server.stdout + server.stderr, /a forgotten key is still in the WAL: another program/)
    );
    const [event] = await client.allEvents() as { payload: string; forgotten?: string[] }[];
    assert.deepEqual([event?.payload, event?.forgotten], ["", ["student"]], "it is unreadable already");
    assert.notDeepEqual(filesWithKey(), [], "this test would see the key");
    await assert.rejects(forget(), "again, for the same reason");
    assert.equal((await metrics(client)).get('service_writes_failed_total{reason="key_left"}'), 2);
  }
  const { status, text } = await forget();
  assert.equal(status, 200, text);
  assert.equal(JSON.parse(text).forgotten, "before");
  assert.deepEqual(filesWithKey(), []);
});

Deno.test("a key that was destroyed by a server that was then killed is in no file after the next start", async () => {
  await using server = await startServer({ env: ENV });
  const filesWithKey = await withKey(server);
  {
    using _reader = readForLong(server);
    await assert.rejects(forgetIn(server));
    await server.kill();
  }
  assert.notDeepEqual(filesWithKey(), [], "this test would see the key");
  await server.start();
  assert.deepEqual(filesWithKey(), []);
  assert.equal(JSON.parse((await forgetIn(server)).text).forgotten, "before");
});
