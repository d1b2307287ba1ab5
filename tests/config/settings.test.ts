import assert from "node:assert/strict";
import { type Section, settingsOf } from "../../src/config/settings.ts";

// Written a second time, so that no name or default changes unseen: key, variable, default (none: undefined), editions.
const documented: Record<
  Section,
  [string, string, string | number | boolean | readonly string[] | undefined, string][]
> = {
  server: [
    ["edition", "SERVICE_EDITION", "A", "all"],
    ["socketPath", "SERVICE_SOCKET_PATH", "/run/service/service.sock", "all"],
    ["socketMode", "SERVICE_SOCKET_MODE", "0600", "all"],
    ["bindAddress", "SERVICE_BIND_ADDRESS", "127.0.0.1", "all"],
    ["port", "SERVICE_PORT", 8085, "all"],
    ["enableAuth", "SERVICE_ENABLE_AUTH", false, "all"],
    ["authToken", "SERVICE_AUTH_TOKEN", undefined, "all"],
    ["dataDir", "SERVICE_DATA_DIR", "data", "all"],
    // Additions of our own.
    ["storage", "SERVICE_STORAGE", "sqlite", "all"],
    ["postgresUrl", "SERVICE_POSTGRES_URL", undefined, "all"],
    ["postgresReadUrl", "SERVICE_POSTGRES_READ_URL", undefined, "all"],
    ["postgresSchema", "SERVICE_POSTGRES_SCHEMA", "eventstore", "all"],
    ["postgresPoolSize", "SERVICE_POSTGRES_POOL_SIZE", 8, "all"],
    ["postgresFailover", "SERVICE_POSTGRES_FAILOVER", "verify", "all"],
    ["logLevel", "SERVICE_LOG_LEVEL", "warning", "all"],
    ["devMode", "SERVICE_DEV_MODE", false, "all"],
    ["defaultEventsPerPage", "SERVICE_DEFAULT_EVENTS_PER_PAGE", 1000, "all"],
    ["maxEventsPerPage", "SERVICE_MAX_EVENTS_PER_PAGE", 10000, "all"],
    ["maxEventSize", "SERVICE_MAX_EVENT_SIZE", 65536, "all"],
    ["maxTagsPerEvent", "SERVICE_MAX_TAGS_PER_EVENT", 20, "all"],
    ["maxProjectionSize", "SERVICE_MAX_PROJECTION_SIZE", 65536, "all"],
    ["maxEventsPerWrite", "SERVICE_MAX_EVENTS_PER_WRITE", 100, "A"],
    ["maxProjectionsPerWrite", "SERVICE_MAX_PROJECTIONS_PER_WRITE", 500, "AB"],
    ["maxRequestBodySize", "SERVICE_MAX_REQUEST_BODY_SIZE", 8388608, "AB"],
    ["maxQueuedWrites", "SERVICE_MAX_QUEUED_WRITES", 100, "AB"],
    ["readPoolSize", "SERVICE_READ_POOL_SIZE", 8, "all"],
    ["preloadMebibytes", "SERVICE_PRELOAD_MEBIBYTES", 65536, "all"],
    ["txIdleTimeout", "SERVICE_TX_IDLE_TIMEOUT", 60, "B"],
    ["maxEventsPerTx", "SERVICE_MAX_EVENTS_PER_TX", 100, "B"],
    ["maxReadsPerTx", "SERVICE_MAX_READS_PER_TX", 100, "B"],
    ["maxProjectionsPerTx", "SERVICE_MAX_PROJECTIONS_PER_TX", 500, "B"],
    ["maxOpenTx", "SERVICE_MAX_OPEN_TX", 1000, "B"],
    ["transactionTimeout", "SERVICE_TRANSACTION_TIMEOUT", 5, "C"],
    ["maxTransactionDuration", "SERVICE_MAX_TRANSACTION_DURATION", 15, "C"],
    ["maxQueuedTransactions", "SERVICE_MAX_QUEUED_TRANSACTIONS", 100, "C"],
    ["maxProjectionsPerRequest", "SERVICE_MAX_PROJECTIONS_PER_REQUEST", 100, "C"],
    ["logReasons", "SERVICE_LOG_REASONS", false, "all"],
    ["logTimestamps", "SERVICE_LOG_TIMESTAMPS", false, "all"],
    ["tokensFile", "SERVICE_TOKENS_FILE", undefined, "all"],
    ["openHealth", "SERVICE_OPEN_HEALTH", false, "all"],
    ["recordTokenName", "SERVICE_RECORD_TOKEN_NAME", false, "all"],
    ["allowedHosts", "SERVICE_ALLOWED_HOSTS", [], "all"],
    ["subjects", "SERVICE_SUBJECTS", [], "all"],
    ["rejectEmails", "SERVICE_REJECT_EMAILS", false, "all"],
    ["masterKeyFile", "SERVICE_MASTER_KEY_FILE", undefined, "all"],
    ["masterKey", "SERVICE_MASTER_KEY", undefined, "all"],
  ],
  backup: [
    ["sourceUrl", "SERVICE_BACKUP_SOURCE_URL", undefined, "all"],
    ["sourceSocket", "SERVICE_BACKUP_SOURCE_SOCKET", undefined, "all"],
    ["sourceCaFile", "SERVICE_BACKUP_SOURCE_CA_FILE", undefined, "all"],
    ["sourceToken", "SERVICE_BACKUP_SOURCE_TOKEN", undefined, "all"],
    ["dataDir", "SERVICE_BACKUP_DATA_DIR", "backup", "all"],
    ["pageLimit", "SERVICE_BACKUP_PAGE_LIMIT", 1000, "all"],
  ],
};

for (const section of ["server", "backup"] as const) {
  Deno.test(`the settings of [${section}] are those of the documents, with their variables and defaults`, () => {
    const inTable = settingsOf(section).map(([key, setting]) =>
      [key, setting.variable, setting.default, setting.editions?.join("") ?? "all"] as const
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
