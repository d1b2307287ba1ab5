import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inDirectory, modeOf } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { runServer, startServer } from "../../support/server_process.ts";
import { sqliteTest, testsPostgres } from "../../support/test_storage.ts";

/** Asserts that a start ends with exit code 1 and one matching line on standard error. */
async function assertDoesNotStart(directory: string, ...expected: RegExp[]): Promise<void> {
  const { code, stdout, stderr } = await runServer({ directory });
  assert.equal(code, 1, stdout + stderr);
  assert.match(stderr, /^[^\n]+\n$/, "one line on stderr");
  for (const pattern of expected) assert.match(stderr, pattern);
  assert.doesNotMatch(stdout, /listening/);
}

/** The file of a database with one event. */
let database: Promise<Uint8Array> | undefined;

async function databaseFile(): Promise<Uint8Array> {
  await using server = await startServer();
  await server.client().append({ type: "t", identifiers: {}, payload: "x".repeat(20_000) });
  assert.equal((await server.stop()).code, 0);
  return await Deno.readFile(server.databasePath);
}

/** Changes the file of a database, and asserts that the next start does not touch it. */
async function assertRejectsFile(change: (path: string) => void, ...expected: RegExp[]): Promise<void> {
  await inDirectory(async (directory) => {
    Deno.mkdirSync(join(directory, "data"), { mode: 0o700 });
    const path = join(directory, "data", "events.db");
    await Deno.writeFile(path, await (database ??= databaseFile()), { mode: 0o600 });
    change(path);
    const before = await Deno.readFile(path);
    await assertDoesNotStart(directory, /events\.db/, ...expected);
    assert.deepEqual(await Deno.readFile(path), before, "the file was changed");
  });
}

sqliteTest(
  "start-up lines: program and version, edition, store ID, data directory, auth, then listening",
  async () => {
    await using server = await startServer({
      listen: "tcp",
      listenOnly: true,
      env: { SERVICE_LOG_LEVEL: "error" },
    });
    const version = (await server.client().request("GET", "/health")).json<{ version: string }>().version;
    const lines = server.stdout.trimEnd().split("\n");
    assert.equal(lines.length, 3, server.stdout);
    assert.match(lines[0] ?? "", /eventstore-server/);
    assert.ok(lines[0]?.includes(version));
    assert.match(lines[1] ?? "", /edition\W*A\b/);
    assert.ok(lines[1]?.includes(await server.client().storeId()));
    assert.ok(lines[1]?.includes(server.dataDir));
    assert.match(lines[1] ?? "", /auth/);
    assert.equal(
      lines[2],
      `eventstore-server: listening on http://127.0.0.1:${
        server.address.transport === "tcp" && server.address.port
      } (auth=false)`,
    );
    assert.equal(server.stderr, "");
  },
);

Deno.test("listening on a public address without a token prints a warning, one line, and starts", async () => {
  const port = String(freePort());
  const env = { SERVICE_BIND_ADDRESS: "0.0.0.0", SERVICE_PORT: port, SERVICE_DEV_MODE: "true" };
  await using server = await startServer({ listen: "none", env });
  assert.match(
    server.stderr,
    /^eventstore-server: warning: http:\/\/0\.0\.0\.0:\d+ .*DELETE EVERYTHING.*\n$/,
  );
});

for (const umask of ["000", "077", "277"]) {
  sqliteTest(`a missing data directory gets 0700 and a new file 0600, with umask ${umask}`, async () => {
    await using server = await startServer({ umask });
    await server.client().append({ type: "t", identifiers: {}, payload: "" });
    assert.equal(modeOf(server.dataDir), 0o700);
    assert.equal(modeOf(server.databasePath), 0o600);
    for (const entry of Deno.readDirSync(server.dataDir)) {
      assert.equal(modeOf(join(server.dataDir, entry.name)) & 0o077, 0, entry.name);
    }
  });
}

sqliteTest("an existing data directory and database keep their permissions", async () => {
  await inDirectory(async (directory) => {
    await Deno.mkdir(join(directory, "data"), { mode: 0o755 });
    await Deno.chmod(join(directory, "data"), 0o755);
    await using server = await startServer({ directory });
    await server.stop();
    await Deno.chmod(server.databasePath, 0o640);
    await server.start();
    assert.equal(modeOf(server.dataDir), 0o755);
    assert.equal(modeOf(server.databasePath), 0o640);
  });
});

Deno.test("with port 0 the system chooses a port, which the log and the first steps name", async () => {
  const env = { SERVICE_PORT: "0", SERVICE_DEV_MODE: "true" };
  await using server = await startServer({ listen: "none", env });
  const [, url] = /listening on (http:\/\/127\.0\.0\.1:[1-9]\d*) \(auth=false\)\n/.exec(server.stdout)!;
  assert.equal((await (await fetch(`${url}/health`)).json()).status, "ok");
  await eventually(() => assert.match(server.stdout, new RegExp(`curl ${url}/write`)));
});

sqliteTest("a second server on the same directory exits 1 naming it, the first keeps running", async () => {
  await using server = await startServer();
  const { code, stderr } = await runServer({ env: { SERVICE_DATA_DIR: server.dataDir } });
  assert.equal(code, 1);
  assert.match(stderr, /^[^\n]+\n$/);
  assert.ok(stderr.includes(server.dataDir), stderr);
  await server.client().append({ type: "t", identifiers: {}, payload: "" });
});

sqliteTest("a file of another program (application_id) stops the start, unchanged", async () => {
  await assertRejectsFile((path) => {
    const database = new DatabaseSync(path);
    database.exec("PRAGMA application_id = 7");
    database.close();
  });
});

for (const other of [0, 77]) {
  sqliteTest(`schema version ${other} stops the start, which names both versions, unchanged`, async () => {
    await assertRejectsFile(
      (path) => {
        const database = new DatabaseSync(path);
        assert.notEqual(database.prepare("PRAGMA user_version").get()?.["user_version"], other);
        database.exec(`PRAGMA user_version = ${other}`);
        database.close();
      },
      /version/,
      new RegExp(`\\b${other}\\b.*\\b[1-9]\\d*\\b|\\b[1-9]\\d*\\b.*\\b${other}\\b`),
    );
  });
}

sqliteTest("a zero-length file stops the start, unchanged", async () => {
  await assertRejectsFile((path) => Deno.truncateSync(path, 0));
});

sqliteTest("a file that is no database stops the start, unchanged", async () => {
  await assertRejectsFile((path) => Deno.writeTextFileSync(path, "not a database\n".repeat(1000)));
});

sqliteTest("a database whose header is damaged stops the start, unchanged", async () => {
  await assertRejectsFile((path) => overwrite(path, 0, 100));
});

sqliteTest("a database that was cut to its first page stops the start, unchanged", async () => {
  await assertRejectsFile((path) => Deno.truncateSync(path, 4096));
});

sqliteTest("a database whose pages after the first are overwritten stops the start, unchanged", async () => {
  await assertRejectsFile((path) => overwrite(path, 4096, Deno.statSync(path).size - 4096));
});

// Root may write every file, so the test is meaningless for root.
Deno.test({
  name: "memory that connections share and that the server cannot write stops the start, before it listens",
  ignore: Deno.uid() === 0 || testsPostgres(),
  fn: () =>
    assertRejectsFile((path) => Deno.writeFileSync(`${path}-shm`, new Uint8Array(32768), { mode: 0o444 })),
});

sqliteTest(
  "a pipe in the place of the database stops the start, which does not wait for a writer of the pipe",
  async () => {
    await inDirectory(async (directory) => {
      Deno.mkdirSync(join(directory, "data"));
      const path = join(directory, "data", "events.db");
      assert.ok((await new Deno.Command("mkfifo", { args: [path] }).output()).success);
      await assertDoesNotStart(directory, /events\.db is not a regular file/);
      assert.equal(Deno.lstatSync(path).isFifo, true);
    });
  },
);

function overwrite(path: string, at: number, size: number): void {
  using file = Deno.openSync(path, { write: true });
  file.seekSync(at, Deno.SeekMode.Start);
  file.writeSync(new Uint8Array(size).fill(0xa5));
}

for (const [edition, facts] of [["B", ""], ["C", ", maxRequestBody 40779776 bytes"]] as const) {
  sqliteTest(`start-up lines of edition ${edition}: the same three${facts}`, async () => {
    await using server = await startServer({ env: { SERVICE_EDITION: edition, SERVICE_LOG_LEVEL: "error" } });
    const lines = server.stdout.trimEnd().split("\n");
    assert.equal(lines.length, 3, server.stdout);
    const ofStore = `store [0-9a-f-]{36} \\(new\\), data directory ${server.dataDir}, auth off`;
    assert.match(lines[1] ?? "", new RegExp(`^eventstore-server: edition ${edition}, ${ofStore}${facts}$`));
  });
}

Deno.test("a bad setting exits 2 with one line per problem, before anything is created", async () => {
  await inDirectory(async (directory) => {
    const env = { SERVICE_LOG_LEVEL: "loud", SERVICE_MAX_EVENT_SIZE: "0", SERVICE_READ_POOL_SIZE: "x" };
    const { code, stderr } = await runServer({ directory, env });
    assert.equal(code, 2);
    assert.equal(stderr.trimEnd().split("\n").length, 3, stderr);
    for (const name of Object.keys(env)) assert.ok(stderr.includes(name), stderr);
    assert.deepEqual([...Deno.readDirSync(directory)], []);
  });
});

Deno.test("a value in the TOML file wins over the environment variable", async () => {
  await using server = await startServer({
    config: "[server]\nmaxEventsPerPage = 2\ndefaultEventsPerPage = 1\n",
    env: { SERVICE_MAX_EVENTS_PER_PAGE: "50" },
  });
  assert.equal((await server.client().queryEvents("*", { limit: 2 })).reply.status, 200);
  assert.equal((await server.client().queryEvents("*", { limit: 3 })).reply.status, 400);
});
