import assert from "node:assert/strict";
import { join } from "node:path";
import { editions } from "../../src/editions/editions.ts";
import { Client } from "../support/client.ts";
import { sharedServer, startServer } from "../support/server_process.ts";
import { FakeSource, rightPage } from "./fake_source.ts";
import { oddEvents } from "./odd_events.ts";
import { BackupDirectories, event, runJson } from "./run_backup.ts";
import { sourceLines, storedLines } from "./stored_lines.ts";

const server = sharedServer();

const modeOf = (path: string): number => Deno.statSync(path).mode! & 0o777;
const namesIn = (directory: string): string[] =>
  [...Deno.readDirSync(directory)].map(({ name }) => name).sort();

for (const edition of Object.keys(editions)) {
  Deno.test(`from edition ${edition}, over a unix socket and with a token, every event arrives byte for byte`, async () => {
    await using writer = await startServer();
    await writer.client().append(...oddEvents);
    await writer.stop();
    const address = { transport: "unix", path: join(writer.directory, "source.sock") } as const;
    const token = "open sesame";
    await using _server = await startServer({
      listen: "none",
      env: {
        SERVICE_EDITION: edition,
        SERVICE_DATA_DIR: writer.dataDir,
        SERVICE_SOCKET_PATH: address.path,
        SERVICE_ENABLE_AUTH: "true",
        SERVICE_AUTH_TOKEN: token,
      },
    });
    using place = new BackupDirectories(address);
    const env = { SERVICE_BACKUP_SOURCE_TOKEN: token, SERVICE_BACKUP_PAGE_LIMIT: "3" };
    const { storeId, file, durationSeconds, ...rest } = await runJson(place, env);
    assert.deepEqual(rest, {
      ok: true,
      error: null,
      source: address.path,
      created: true,
      eventsCopied: oddEvents.length,
      lastSequence: oddEvents.length,
      earlierStoreIds: [],
    });
    assert.ok(durationSeconds > 0 && durationSeconds < 60);
    assert.equal(file, place.file(storeId!));
    const client = new Client(address, { authorization: `Bearer ${token}` });
    const every = edition === "B" ? "all" : "*";
    assert.deepEqual(storedLines(place.file(storeId!)), await sourceLines(client, every));
  });
}

Deno.test("a proxy that the environment names is not used", async () => {
  await using source = new FakeSource((request) => rightPage(request, 5));
  await using proxy = new FakeSource((request) => rightPage(request, 5));
  using place = new BackupDirectories(source.address);
  const url = `http://127.0.0.1:${proxy.address.port}`;
  // The runtime itself looks for newer versions now and then, through the proxy.
  const env = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, DENO_NO_UPDATE_CHECK: "1" };
  assert.equal((await runJson(place, env)).lastSequence, 5);
  assert.equal(proxy.connections, 0);
});

Deno.test("a server on a copy of the one file serves the same events, found by the same queries", async () => {
  await using source = await startServer();
  await source.client().append(...oddEvents);
  using place = new BackupDirectories(source.address);
  const storeId = await source.client().storeId();
  await runJson(place, { SERVICE_BACKUP_PAGE_LIMIT: "4" });
  const dataDir = join(place.directory, "data");
  Deno.mkdirSync(dataDir);
  Deno.copyFileSync(place.file(storeId), join(dataDir, "events.db"));
  await using server = await startServer({ env: { SERVICE_DATA_DIR: dataDir } });
  assert.notEqual(await server.client().storeId(), storeId, "a backup has a store ID of its own");
  const queries = [
    "*",
    [{ types: ["several"] }],
    [{ identifiers: [{ name: "a", value: "2" }] }],
    [{ identifiers: [{ name: "__proto__", value: "constructor" }] }],
    [{ identifiers: [{ name: '"', value: "\\" }] }, { metadata: [{ name: "", value: "" }] }],
    [{ identifiers: [{ name: "\0", value: "\0\0" }], metadata: [{ name: "m", value: "\u0001" }] }],
  ];
  for (const query of queries) {
    const [expected, actual] = await Promise.all(
      [source, server].map(async (one) =>
        (await one.client().request("QUERY", "/events", { json: { query } })).text
      ),
    );
    assert.equal(actual, expected);
    assert.ok(expected!.split("\n").length > 2, "the query finds something");
  }
});

Deno.test("a second run copies what is new, and a third one nothing", async () => {
  const client = server.client();
  using place = new BackupDirectories(server.address);
  await client.append(event("1"), event("2"), event("3"));
  const first = await runJson(place, { SERVICE_BACKUP_PAGE_LIMIT: "2" });
  assert.deepEqual([first.created, first.eventsCopied, first.lastSequence], [true, 3, 3]);
  await client.append(event("4"), event("5"), event("6"), event("7"));
  const second = await runJson(place, { SERVICE_BACKUP_PAGE_LIMIT: "2" });
  assert.deepEqual([second.created, second.eventsCopied, second.lastSequence], [false, 4, 7]);
  const third = await runJson(place);
  assert.deepEqual([third.created, third.eventsCopied, third.lastSequence], [false, 0, 7]);
  assert.deepEqual(storedLines(place.file(await client.storeId())), await sourceLines(client));
});

Deno.test("without events the file is created, and the first events come later", async () => {
  using place = new BackupDirectories(server.address);
  const first = await runJson(place);
  assert.deepEqual([first.ok, first.created, first.eventsCopied, first.lastSequence], [true, true, 0, 0]);
  assert.deepEqual(storedLines(place.file(first.storeId!)), []);
  await server.client().append(event("1"));
  const second = await runJson(place);
  assert.deepEqual([second.created, second.eventsCopied, second.lastSequence], [false, 1, 1]);
});

Deno.test("when the source was reset, a new backup begins next to the old one, and the run says so", async () => {
  const client = server.client();
  using place = new BackupDirectories(server.address);
  await client.append(event("old"));
  const old = await runJson(place);
  await client.reset();
  await client.append(event("new 1"), event("new 2"));
  const { code, stdout } = await place.run();
  assert.equal(code, 0);
  const storeId = await client.storeId();
  assert.match(
    stdout,
    new RegExp(
      `^eventstore-backup: copied 2 events from .* to ${place.file(storeId)}.*reset.*${old.storeId}.*\n$`,
    ),
  );
  assert.equal(storedLines(place.file(old.storeId!)).length, 1);
  assert.deepEqual(storedLines(place.file(storeId)), await sourceLines(client));
  const later = await runJson(place);
  assert.deepEqual([later.created, later.earlierStoreIds], [false, [old.storeId]]);
});

Deno.test("directory and file are readable by their owner only, and between runs there is nothing but the file", async () => {
  await server.client().append(event("1"));
  for (const umask of ["0000", "0077"]) {
    using place = new BackupDirectories(server.address);
    const { code, stderr } = await place.run({ umask });
    assert.equal(code, 0, stderr);
    const name = `${await server.client().storeId()}.db`;
    assert.deepEqual(namesIn(place.dataDir), [name, "backup.lock"].sort());
    assert.equal(modeOf(place.dataDir), 0o700);
    for (const entry of namesIn(place.dataDir)) assert.equal(modeOf(join(place.dataDir, entry)), 0o600);
  }
});
