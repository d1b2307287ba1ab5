import assert from "node:assert/strict";
import { change } from "../backup/made_backup.ts";
import { forget, ofStudent, payloadsOf, SUBJECTS } from "../backup/sealed_source.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import type { Database } from "../../src/store/sqlite/connection/database.ts";
import { Shell } from "./shell_address.ts";

/* `verify` names a key of a subject in which a bit was changed in the file of the server. */

/** Two events of s1, one of s2, who was forgotten, and one of s3. */
async function startSchool(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await startServer({ listen: "unix", env: { ...SUBJECTS, ...env } });
  await server.client().append(ofStudent("s1"), ofStudent("s2"), ofStudent("s1"), ofStudent("s3"));
  await forget(server, "s2");
  return server;
}

async function changeStore(server: ServerProcess, work: (db: Database) => void): Promise<void> {
  assert.equal((await server.stop()).code, 0);
  change(server.databasePath, work);
  await server.start();
}

/** Changes one bit in the middle of the stored form of a key. */
function flipKey(db: Database): void {
  const [key] = db.get("SELECT key FROM subject_key WHERE row = 1") as [Uint8Array];
  const changed = key.slice();
  changed[40]! ^= 1;
  db.run("UPDATE subject_key SET key = ? WHERE row = 1", changed);
}

const DAMAGED = /the key [A-Za-z0-9_-]{16} of a subject is damaged in the store/;
const MISNAMED = (event: number) =>
  new RegExp(`the name or value next to the key .{16} has changed: it is not that of event ${event}\n`);

const CHANGES: readonly (readonly [what: string, sql: string, words: RegExp])[] = [
  ["the ID of a key", "id = 'AAAAAAAAAAAAAAAA' WHERE key_row = 1", DAMAGED],
  ["a value that is no UTF-8 any more", "value = x'ff31' WHERE key_row = 1", DAMAGED],
  ["the value next to a key", "value = CAST('s4' AS BLOB) WHERE key_row = 3", MISNAMED(4)],
  ["the value next to a destroyed key", "value = CAST('s4' AS BLOB) WHERE key_row = 2", MISNAMED(2)],
  ["the name next to a key", "name = CAST('studenu' AS BLOB) WHERE key_row = 1", MISNAMED(1)],
];

Deno.test("verify names a key with a changed bit, in it or next to it", async () => {
  await using server = await startSchool();
  const shell = new Shell(server.address);
  assert.match(await shell.prints(["verify"]), /^verified: all 4 events; root [0-9a-f]{64}@4\n$/);
  let rows: unknown[][] = [];
  for (const [what, sql, words] of CHANGES) {
    await changeStore(server, (db) => {
      rows = db.all("SELECT id, name, value, key_row FROM subject") as unknown as unknown[][];
      db.run(`UPDATE subject SET ${sql}`);
    });
    await shell.fails(["verify"], 8, words).catch((error) => {
      throw new Error(what, { cause: error });
    });
    await changeStore(server, (db) => {
      for (const [id, name, value, row] of rows) {
        const of = [id, name, value, BigInt(row as number)] as Parameters<Database["run"]>[1][];
        db.run("UPDATE subject SET id = ?, name = ?, value = ? WHERE key_row = ?", ...of);
      }
    });
  }
  await changeStore(server, flipKey);
  await shell.fails(["verify"], 8, DAMAGED);
});

Deno.test("verify names a changed key that a master key has wrapped", async () => {
  const masterKey = new Uint8Array(32).fill(7).toBase64();
  await using server = await startSchool({ SERVICE_MASTER_KEY: masterKey });
  const shell = new Shell(server.address);
  await shell.prints(["verify"]);
  await changeStore(server, flipKey);
  await shell.fails(["verify"], 8, DAMAGED);
  const { status } = await server.client().request("GET", "/subjects/keys");
  assert.equal(status, 500, "its bytes cannot be handed out");
});

Deno.test("verify names the setting that a server without proofs lacks", async () => {
  await using server = await startServer();
  await new Shell(server.address).fails(
    ["verify"],
    4,
    /the server has no proofs: it needs its setting "subjects"\n$/,
  );
});

Deno.test("verify of an earlier server, which lists no keys, checks the events and warns", async () => {
  await using server = await startSchool();
  await using earlier = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/subjects") return new Response("unknown path\n", { status: 404 });
    const body = new Uint8Array(await request.arrayBuffer());
    const { status, text, headers } = await server.client().request(request.method, pathname + search, {
      body,
    });
    return new Response(text, { status, headers: [...headers] });
  });
  const shell = new Shell({ transport: "tcp", hostname: "127.0.0.1", port: earlier.addr.port });
  const { code, stdout, stderr } = await shell.run(["verify"]);
  assert.deepEqual([code, stderr], [
    0,
    "eventstore-client: warning: the keys of subjects are not checked: GET /subjects is 404, " +
    "as on a server of an earlier version\n",
  ]);
  assert.match(stdout, /^verified: all 4 events; root [0-9a-f]{64}@4\n$/);
});

Deno.test("verify counts events whose key the store does not have, as after a restore without keys", async () => {
  await using server = await startSchool();
  const shell = new Shell(server.address);
  await changeStore(server, (db) => db.run("DELETE FROM subject WHERE key_row = 3"));
  assert.deepEqual((await payloadsOf(server)).at(-1), null);
  assert.match(
    await shell.prints(["verify"]),
    /^verified: all 4 events, 1 of them without a key in the store, the first is 4; root/,
  );
  assert.equal(JSON.parse(await shell.prints(["verify", "--json"])).withoutKey, 1);
});
