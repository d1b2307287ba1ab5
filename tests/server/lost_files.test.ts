import assert from "node:assert/strict";
import { join } from "node:path";
import type { Client } from "../support/client.ts";
import { namesIn } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { assertRejected, expectStatus } from "../support/replies.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";

/* Files of a running server that are deleted or replaced. */

const event = { type: "t", identifiers: {}, payload: "" };

const DELETED = "events.db was deleted or moved away";

function remove(server: ServerProcess, ...names: readonly string[]): void {
  for (const name of names) Deno.removeSync(join(server.dataDir, name));
}

/** Asserts that writes are rejected, health says so, and one line on standard error says why. */
async function assertLost(server: ServerProcess, reason: string): Promise<void> {
  const client = server.client();
  await eventually(async () => {
    assertRejected(await client.request("GET", "/health"), 503, "Unavailable", reason);
  });
  for (let i = 0; i < 2; i++) {
    const reply = await client.write({ events: [event] });
    assertRejected(reply, 503, "Unavailable", `nothing was written: ${reason}`);
  }
  const line = `eventstore-server: writes are rejected until a restart: in ${server.dataDir}, ${reason}\n`;
  await eventually(() => assert.equal(server.stderr, line));
}

async function countEvents(client: Client): Promise<number> {
  return (await client.queryEvents()).events.length;
}

Deno.test("once the database is deleted the next write is rejected, and open readers still serve reads", async () => {
  await using server = await startServer({ listen: "unix" });
  const client = server.client();
  await client.append(event);
  assert.equal(await countEvents(client), 1);
  remove(server, "events.db", "events.db-wal", "events.db-shm");
  const rejected = await client.write({ events: [event] });
  assertRejected(rejected, 503, "Unavailable", `nothing was written: ${DELETED}`);
  await assertLost(server, DELETED);
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => countEvents(client))), [1, 1, 1]);
  assert.equal((await server.stop()).code, 0);
  assert.deepEqual(namesIn(server.dataDir), ["events.lock"]);
});

Deno.test("an idle server notices too; without an open reader a read is rejected, and creates nothing", async () => {
  await using server = await startServer({ listen: "unix" });
  remove(server, "events.db", "events.db-wal", "events.db-shm");
  await eventually(() => assert.match(server.stderr, /writes are rejected/));
  const read = await server.client().request("QUERY", "/events", { json: { query: "*" } });
  assertRejected(read, 503, "Unavailable", DELETED);
  await assertLost(server, DELETED);
  assert.deepEqual(namesIn(server.dataDir), ["events.lock"]);
});

Deno.test("a database that replaces another is neither read nor changed, nor is its WAL, not even by a stop", async () => {
  await using other = await startServer();
  await other.client().append(event, event, event);
  await other.kill();
  await using server = await startServer({ listen: "unix" });
  await server.client().append(event);
  assert.equal(await countEvents(server.client()), 1);
  remove(server, "events.db-shm");
  for (const name of ["events.db", "events.db-wal"]) {
    Deno.renameSync(join(other.dataDir, name), join(server.dataDir, name));
  }
  const before = Deno.readFileSync(join(server.dataDir, "events.db-wal"));
  assert.ok(before.length > 0);
  await assertLost(server, "events.db was replaced by another file");
  assert.equal(await countEvents(server.client()), 1);
  assert.equal((await server.stop()).code, 0);
  assert.deepEqual(namesIn(server.dataDir), ["events.db", "events.db-wal", "events.lock"]);
  assert.deepEqual(Deno.readFileSync(join(server.dataDir, "events.db-wal")), before);
  await server.start();
  assert.equal(await countEvents(server.client()), 3);
});

Deno.test("a database that is replaced just before the stop is left alone, noticed or not", async () => {
  await using server = await startServer({ listen: "unix" });
  await server.client().append(event);
  for (const end of ["", "-wal", "-shm"]) {
    remove(server, `events.db${end}`);
    Deno.writeTextFileSync(server.databasePath + end, `new${end}`);
  }
  assert.equal((await server.stop()).code, 0);
  for (const end of ["", "-wal", "-shm"]) {
    assert.equal(Deno.readTextFileSync(server.databasePath + end), `new${end}`);
  }
});

Deno.test("deleted files can be copied from the running server, with nothing lost", async () => {
  await using server = await startServer({ listen: "unix" });
  const client = server.client();
  await client.append(...Array.from({ length: 100 }, () => event));
  const create = [{ type: "p", id: "1", payload: "x" }];
  const { status, headers } = await client.write({ events: [event], projections: { create } });
  assert.equal(status, 200);
  remove(server, "events.db", "events.db-wal", "events.db-shm");
  await assertLost(server, DELETED);
  const script = `cd /proc/${server.pid}/fd && for file in *; do
    case "$(readlink "$file")" in
      */events.db" (deleted)") cat "$file" > "$1/events.db" ;;
      */events.db-wal" (deleted)") cat "$file" > "$1/events.db-wal" ;;
    esac
  done`;
  const copied = await new Deno.Command("sh", { args: ["-c", script, "sh", server.dataDir] }).output();
  assert.equal(copied.code, 0);
  await server.kill();
  await server.start();
  const page = await client.queryEvents();
  assert.deepEqual([page.events.length, page.store], [101, headers.get("x-service-store")]);
  expectStatus(await client.request("GET", "/projections/p/1"), 200);
});

for (const besides of [[], ["events.lock"]]) {
  Deno.test(`of a WAL deleted with ${besides.length + 1} other files all is moved into the database: kill -9 loses nothing`, async () => {
    await using server = await startServer({ listen: "unix" });
    await server.client().append(event, event);
    remove(server, "events.db-wal", "events.db-shm", ...besides);
    await assertLost(server, "events.db-wal was deleted or moved away");
    await server.kill();
    await server.start();
    assert.equal(await countEvents(server.client()), 2);
  });
}

Deno.test("a database that is moved alone, or replaced by another one, is whole without the WAL left behind", async () => {
  await using other = await startServer();
  await other.client().append(event, event, event);
  await other.stop();
  await using server = await startServer({ listen: "unix" });
  await server.client().append(...Array.from({ length: 100 }, () => event));
  const away = join(server.directory, "away.db");
  Deno.renameSync(server.databasePath, away);
  Deno.copyFileSync(other.databasePath, server.databasePath);
  await eventually(() => assert.match(server.stderr, /events\.db was replaced/));
  await server.kill();
  await server.start();
  assert.equal(await countEvents(server.client()), 3);
  await server.stop();
  Deno.renameSync(away, server.databasePath);
  await server.start();
  assert.equal(await countEvents(server.client()), 100);
});

Deno.test("without its lock, which no longer keeps others out, the server writes nothing more", async () => {
  await using server = await startServer({ listen: "unix" });
  remove(server, "events.lock");
  const rejected = await server.client().write({ events: [event] });
  assertRejected(rejected, 503, "Unavailable", /events\.lock was deleted/);
  await assertLost(server, "events.lock was deleted or moved away");
});

Deno.test("a database that comes back stays rejected until a restart, which finds everything", async () => {
  await using server = await startServer({ listen: "unix" });
  await server.client().append(event);
  const away = join(server.directory, "away");
  Deno.renameSync(server.dataDir, away);
  await assertLost(server, DELETED);
  Deno.renameSync(away, server.dataDir);
  await assertLost(server, DELETED);
  await server.restart();
  await server.client().append(event);
  assert.equal(await countEvents(server.client()), 2);
});

for (const edition of ["B", "C"] as const) {
  Deno.test(`edition ${edition}: a transaction that was open when the database was deleted cannot commit`, async () => {
    await using server = await startServer({ listen: "unix", env: { SERVICE_EDITION: edition } });
    const client = server.client();
    const commit = await begin(client, edition);
    remove(server, "events.db");
    assertRejected(await commit(), 503, "Unavailable", `nothing was written: ${DELETED}`);
    await eventually(async () => {
      assertRejected(await client.request("GET", "/health"), 503, "Unavailable", DELETED);
    });
    if (edition === "C") {
      assertRejected(
        await client.request("POST", "/begin"),
        503,
        "Unavailable",
        `nothing was written: ${DELETED}`,
      );
    }
  });
}

/** Begins a transaction, writes an event in it, and returns its commit. */
async function begin(client: Client, edition: "B" | "C"): Promise<() => ReturnType<Client["request"]>> {
  if (edition === "B") {
    const { txId } = expectStatus(await client.request("POST", "/tx"), 200).json<{ txId: string }>();
    expectStatus(await client.request("QUERY", `/tx/${txId}/events`, { json: { query: "all" } }), 200);
    expectStatus(await client.request("POST", `/tx/${txId}/events`, { json: { events: [event] } }), 200);
    return () => client.request("POST", `/tx/${txId}/commit`);
  }
  const { ticket } = expectStatus(await client.request("POST", "/begin"), 200).json<{ ticket: string }>();
  const headers = { "X-Service-Ticket": ticket };
  expectStatus(await client.request("POST", "/events", { headers, json: { events: [event] } }), 200);
  return () => client.request("POST", "/commit", { headers });
}
