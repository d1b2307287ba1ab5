import assert from "node:assert/strict";
import { isThere } from "../../src/files/is_there.ts";
import { startServer } from "../support/server_process.ts";
import { startWithTokens, tokenToml } from "../support/tokens.ts";
import { FakeSource, lines, page, rejection, rightPage, STORE } from "./fake_source.ts";
import { assertFailed, BackupDirectories, event, runJson } from "./run_backup.ts";
import { storedLines } from "./stored_lines.ts";

Deno.test("a missing source is named, and no backup is created", async () => {
  await using source = new FakeSource(() => "");
  using overTcp = new BackupDirectories(source.address);
  await source[Symbol.asyncDispose]();
  assertFailed(await overTcp.run(), 1, /the source http:\/\/127\.0\.0\.1:\d+: .*refused/);
  using overSocket = new BackupDirectories({ transport: "unix", path: "/nowhere/source.sock" });
  assertFailed(await overSocket.run(), 1, /the source \/nowhere\/source\.sock: /);
  for (const place of [overTcp, overSocket]) assert.equal(isThere(place.file(STORE)), false);
});

Deno.test("a server that is not an event store is named, and no backup is created", async () => {
  const answers: readonly (readonly [string, RegExp])[] = [
    [rejection(404, "Not Found"), /returned 404/],
    ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", /not an event store/],
    [page("../../etc/passwd", '{"hasMore":false}\n'), /the store ID "..\/..\/etc\/passwd"/],
    [rejection(400, { error: "InvalidRequest", message: "what?" }), /returned 400 InvalidRequest \(what\?\)/],
  ];
  for (const [answer, error] of answers) {
    await using source = new FakeSource(() => answer);
    using place = new BackupDirectories(source.address);
    assertFailed(await place.run(), 1, error);
    assert.deepEqual([...Deno.readDirSync(place.dataDir)].map(({ name }) => name), ["backup.lock"]);
  }
});

Deno.test("the error text of a source becomes one short line without terminal control characters", async () => {
  const odd = `Un\nlike\x1b[31m\x9bly${"y".repeat(60_000)}`;
  const answers: readonly (readonly [string, RegExp])[] = [
    [
      rejection(503, { error: odd, message: odd.slice(0, 1000) }),
      /: it returned 503 Un like \[31m lyy+\.\.\. \(Un like \[31m lyy+/,
    ],
    [page(odd.replace("\n", ""), ""), /reports the store ID "Unlike \[31m lyy+\.\.\."$/m],
  ];
  for (const [answer, error] of answers) {
    await using source = new FakeSource(() => answer);
    using place = new BackupDirectories(source.address);
    const ended = await place.run();
    assertFailed(ended, 1, error);
    assert.match(ended.stderr, /^[\x20-\x7e]{100,600}\n$/);
  }
});

Deno.test("a pageLimit above the server's maxEventsPerPage is rejected with the names of both", async () => {
  await using server = await startServer({ env: { SERVICE_MAX_EVENTS_PER_PAGE: "1000" } });
  using place = new BackupDirectories(server.address);
  const env = { SERVICE_BACKUP_PAGE_LIMIT: "1001" };
  assertFailed(await place.run({ env }), 1, /pageLimit.*maxEventsPerPage \(1000\)/);
});

Deno.test("a wrong token is rejected, and a right one is printed nowhere", async () => {
  const token = "open-sesame";
  await using server = await startServer({
    env: { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: token },
  });
  using place = new BackupDirectories(server.address);
  assertFailed(await place.run(), 1, /401 Unauthorized.*, check sourceToken/);
  const wrong = await place.run({ env: { SERVICE_BACKUP_SOURCE_TOKEN: "guess-work" } });
  assertFailed(wrong, 1, /401 Unauthorized/);
  assert.equal(wrong.stderr.includes("guess-work"), false);
  const right = await place.run({ args: ["--json"], env: { SERVICE_BACKUP_SOURCE_TOKEN: token } });
  assert.equal(right.code, 0);
  assert.equal((right.stdout + right.stderr).includes(token), false);
});

Deno.test("a token that does not see every event is rejected, with what it sees", async () => {
  const within = 'within = { tenant = "t1", region = "eu" }\n';
  const tokens = tokenToml("billing", "b", ["read"], within) + tokenToml("backup", "all", ["read"]);
  await using server = await startWithTokens("A", tokens);
  using place = new BackupDirectories(server.address);
  const run = (token: string) => place.run({ env: { SERVICE_BACKUP_SOURCE_TOKEN: token } });
  assertFailed(
    await run("b"),
    1,
    /its token billing sees only events with tenant=t1 and region=eu, and a backup needs one that sees all$/m,
  );
  assert.deepEqual([...Deno.readDirSync(place.dataDir)].map(({ name }) => name), ["backup.lock"]);
  assert.equal((await run("all")).code, 0);
});

Deno.test("a source with fewer events than the backup, or with a different last event, is rejected", async () => {
  let head = 7;
  let isSame = true;
  await using source = new FakeSource((request) => {
    const right = rightPage(request, head);
    return isSame ? right : right.replaceAll("payload 7", "payload x");
  });
  using place = new BackupDirectories(source.address);
  assert.equal((await runJson(place)).lastSequence, 7);
  head = 6;
  assertFailed(await place.run(), 1, /has no event 7/);
  [head, isSame] = [9, false];
  assertFailed(await place.run(), 1, /a different event 7/);
  assert.deepEqual(storedLines(place.file(STORE)), lines(1, 7));
});

Deno.test("a store restored to an earlier state under the same store ID is recognized", async () => {
  await using server = await startServer();
  await server.client().append(event("1"));
  await server.stop();
  const early = Deno.readFileSync(server.databasePath);
  await server.start();
  await server.client().append(event("2"));
  using place = new BackupDirectories(server.address);
  assert.equal((await runJson(place)).lastSequence, 2);
  await server.stop();
  Deno.writeFileSync(server.databasePath, early);
  await server.start();
  assertFailed(await place.run(), 1, /has no event 2/);
  await server.client().append(event("another 2"));
  assertFailed(await place.run(), 1, /a different event 2/);
});

Deno.test("https:// to a server without TLS, and http:// to one with it, say which it should be", async () => {
  await using server = await startServer({ listen: "tcp", listenOnly: true });
  const { address } = server;
  assert.ok(address.transport === "tcp");
  using place = new BackupDirectories(address);
  const https = { SERVICE_BACKUP_SOURCE_URL: `https://127.0.0.1:${address.port}` };
  const plain = /the source https:.*: it does not speak TLS: use http:\/\/ instead of https:\/\/$/m;
  assertFailed(await place.run({ env: https }), 1, plain);
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const answering = answerWithAlert(listener);
  const http = { SERVICE_BACKUP_SOURCE_URL: `http://127.0.0.1:${listener.addr.port}` };
  const encrypted = /the source http:.*: it speaks TLS: use https:\/\/ instead of http:\/\/$/m;
  assertFailed(await place.run({ env: http }), 1, encrypted);
  await answering;
});

/** Answers a request in plain text as a server with TLS does: with an alert that the record overflows. */
async function answerWithAlert(listener: Deno.TcpListener): Promise<void> {
  using conn = await listener.accept();
  await conn.read(new Uint8Array(4096));
  await conn.write(Uint8Array.of(0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x16));
  await conn.closeWrite();
  while (await conn.read(new Uint8Array(4096)) !== null);
}
