import assert from "node:assert/strict";
import { backupProblemsOf, loadBackupText, loadServerText, serverProblemsOf } from "./load_text.ts";

Deno.test("the default page size must not exceed the largest one, wherever the two are set", () => {
  assert.deepEqual(serverProblemsOf("[server]\ndefaultEventsPerPage = 10001"), [
    "config.toml:2:1: defaultEventsPerPage (10001) must not exceed maxEventsPerPage (10000)",
  ]);
  assert.deepEqual(serverProblemsOf("[server]\nmaxEventsPerPage = 999"), [
    "config.toml:2:1: defaultEventsPerPage (1000) must not exceed maxEventsPerPage (999)",
  ]);
  assert.deepEqual(
    serverProblemsOf("[server]\nmaxEventsPerPage = 5", { SERVICE_DEFAULT_EVENTS_PER_PAGE: "6" }),
    ["SERVICE_DEFAULT_EVENTS_PER_PAGE: defaultEventsPerPage (6) must not exceed maxEventsPerPage (5)"],
  );
  const equal = loadServerText("[server]\ndefaultEventsPerPage = 7\nmaxEventsPerPage = 7").settings;
  assert.equal(equal.defaultEventsPerPage, 7);
});

Deno.test("a transaction's timeout must not exceed its longest duration", () => {
  assert.deepEqual(serverProblemsOf("[server]\nmaxTransactionDuration = 4"), [
    "config.toml:2:1: transactionTimeout (5) must not exceed maxTransactionDuration (4)",
  ]);
  assert.equal(loadServerText("[server]\nmaxTransactionDuration = 5").settings.maxTransactionDuration, 5);
});

Deno.test("authentication without a token is rejected, wherever it is turned on", () => {
  const fault = "enableAuth is on, but authToken is not set: set it or SERVICE_AUTH_TOKEN, or add [[tokens]]";
  assert.deepEqual(serverProblemsOf("[server]\nenableAuth = true"), [`config.toml:2:1: ${fault}`]);
  assert.deepEqual(serverProblemsOf("", { SERVICE_ENABLE_AUTH: "1" }), [`SERVICE_ENABLE_AUTH: ${fault}`]);
  const { settings } = loadServerText("[server]\nenableAuth = true", { SERVICE_AUTH_TOKEN: "t" });
  assert.equal(settings.authToken, "t");
});

Deno.test("a setting that is wrong by itself is not reported again by a rule", () => {
  const text = "[server]\nenableAuth = true\nauthToken = ''\nmaxEventsPerPage = 0\ntransactionTimeout = -1";
  assert.equal(serverProblemsOf(text).length, 3);
});

Deno.test("a backup needs a source", () => {
  assert.deepEqual(backupProblemsOf("[backup]\n"), [
    "no source: set sourceUrl or sourceSocket in [backup], " +
    "or SERVICE_BACKUP_SOURCE_URL or SERVICE_BACKUP_SOURCE_SOCKET",
  ]);
});

Deno.test("a backup has one source only", () => {
  assert.deepEqual(backupProblemsOf('[backup]\nsourceUrl = "http://h"\nsourceSocket = "/s"'), [
    "config.toml:3:1: sourceSocket and sourceUrl (config.toml:2:1) are both set; only one may be",
  ]);
  const both = { SERVICE_BACKUP_SOURCE_URL: "http://h", SERVICE_BACKUP_SOURCE_SOCKET: "/s" };
  assert.deepEqual(backupProblemsOf("", both), [
    "SERVICE_BACKUP_SOURCE_SOCKET: sourceSocket and sourceUrl (SERVICE_BACKUP_SOURCE_URL) are both set; " +
    "only one may be",
  ]);
});

Deno.test("a source in the file hides both source variables, and no other variable", () => {
  const variables = {
    SERVICE_BACKUP_SOURCE_URL: "http://env",
    SERVICE_BACKUP_SOURCE_SOCKET: "/env",
    SERVICE_BACKUP_SOURCE_TOKEN: "t",
  };
  const bySocket = loadBackupText('[backup]\nsourceSocket = "/file"', variables).settings;
  assert.deepEqual(bySocket.source, { transport: "unix", path: "/file" });
  assert.equal(bySocket.sourceToken, "t");
  const byUrl = loadBackupText('[backup]\nsourceUrl = "https://file/api"', variables).settings;
  assert.deepEqual(byUrl.source, { transport: "tcp", url: "https://file/api" });
});

Deno.test("the settings of a backup come from its variables when the file has none", () => {
  const { settings } = loadBackupText("", {
    SERVICE_BACKUP_SOURCE_SOCKET: "/s",
    SERVICE_BACKUP_SOURCE_TOKEN: "t",
    SERVICE_BACKUP_DATA_DIR: "/b",
    SERVICE_BACKUP_PAGE_LIMIT: "5",
  });
  assert.deepEqual(settings, {
    source: { transport: "unix", path: "/s" },
    sourceToken: "t",
    dataDir: "/b",
    pageLimit: 5,
  });
});

Deno.test("the URL of a source is http or https, without a password, which is not shown", () => {
  const fault = "must be an http:// or https:// URL without user, password, query or fragment";
  for (
    const url of ["ftp://h", "localhost:8085", "h", "", "http://u:secret@h", "http://h?x=1", "http://h#x"]
  ) {
    assert.deepEqual(backupProblemsOf("", { SERVICE_BACKUP_SOURCE_URL: url }), [
      `SERVICE_BACKUP_SOURCE_URL: ${fault}`,
    ]);
  }
});
