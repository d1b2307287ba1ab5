import assert from "node:assert/strict";
import { type Section, settingsOf } from "../../src/config/settings.ts";

// Copied from the documents: key, variable, default (none: undefined), editions.
const documented: Record<Section, [string, string, string | number | boolean | undefined, string][]> = {
  server: [
    ["edition", "SERVICE_EDITION", "A", "ABC"],
    ["socketPath", "SERVICE_SOCKET_PATH", "/run/service/service.sock", "ABC"],
    ["socketMode", "SERVICE_SOCKET_MODE", "0600", "ABC"],
    ["bindAddress", "SERVICE_BIND_ADDRESS", "127.0.0.1", "ABC"],
    ["port", "SERVICE_PORT", 8085, "ABC"],
    ["enableAuth", "SERVICE_ENABLE_AUTH", false, "ABC"],
    ["authToken", "SERVICE_AUTH_TOKEN", undefined, "ABC"],
    ["dataDir", "SERVICE_DATA_DIR", "data", "ABC"],
    ["logLevel", "SERVICE_LOG_LEVEL", "warning", "ABC"],
    ["devMode", "SERVICE_DEV_MODE", false, "ABC"],
    ["defaultEventsPerPage", "SERVICE_DEFAULT_EVENTS_PER_PAGE", 1000, "ABC"],
    ["maxEventsPerPage", "SERVICE_MAX_EVENTS_PER_PAGE", 10000, "ABC"],
    ["maxEventSize", "SERVICE_MAX_EVENT_SIZE", 65536, "ABC"],
    ["maxProjectionSize", "SERVICE_MAX_PROJECTION_SIZE", 65536, "ABC"],
    ["maxEventsPerWrite", "SERVICE_MAX_EVENTS_PER_WRITE", 100, "A"],
    ["maxProjectionsPerWrite", "SERVICE_MAX_PROJECTIONS_PER_WRITE", 500, "AB"],
    ["maxRequestBodySize", "SERVICE_MAX_REQUEST_BODY_SIZE", 8388608, "AB"],
    ["maxQueuedWrites", "SERVICE_MAX_QUEUED_WRITES", 100, "AB"],
    ["readPoolSize", "SERVICE_READ_POOL_SIZE", 8, "ABC"],
    ["txIdleTimeout", "SERVICE_TX_IDLE_TIMEOUT", 60, "B"],
    ["maxEventsPerTx", "SERVICE_MAX_EVENTS_PER_TX", 100, "B"],
    ["maxReadsPerTx", "SERVICE_MAX_READS_PER_TX", 100, "B"],
    ["maxProjectionsPerTx", "SERVICE_MAX_PROJECTIONS_PER_TX", 500, "B"],
    ["maxOpenTx", "SERVICE_MAX_OPEN_TX", 1000, "B"],
    ["transactionTimeout", "SERVICE_TRANSACTION_TIMEOUT", 5, "C"],
    ["maxTransactionDuration", "SERVICE_MAX_TRANSACTION_DURATION", 15, "C"],
    ["maxQueuedTransactions", "SERVICE_MAX_QUEUED_TRANSACTIONS", 100, "C"],
    ["maxProjectionsPerRequest", "SERVICE_MAX_PROJECTIONS_PER_REQUEST", 100, "C"],
  ],
  backup: [
    ["sourceUrl", "SERVICE_BACKUP_SOURCE_URL", undefined, ""],
    ["sourceSocket", "SERVICE_BACKUP_SOURCE_SOCKET", undefined, ""],
    ["sourceToken", "SERVICE_BACKUP_SOURCE_TOKEN", undefined, ""],
    ["dataDir", "SERVICE_BACKUP_DATA_DIR", "backup", ""],
    ["pageLimit", "SERVICE_BACKUP_PAGE_LIMIT", 1000, ""],
  ],
};

for (const section of ["server", "backup"] as const) {
  Deno.test(`the settings of [${section}] are those of the documents, with their variables and defaults`, () => {
    const inTable = settingsOf(section).map(([key, setting]) =>
      [key, setting.variable, setting.default, setting.editions] as const
    );
    const byKey = (a: readonly unknown[], b: readonly unknown[]): number =>
      String(a[0]).localeCompare(String(b[0]));
    assert.deepEqual(inTable.toSorted(byKey), documented[section].toSorted(byKey));
  });
}

Deno.test("the help of every setting is one line that ends without a full stop", () => {
  for (const [key, { help }] of [...settingsOf("server"), ...settingsOf("backup")]) {
    assert.match(help, /^[^\n|]+[^.\n]$/, key);
  }
});
