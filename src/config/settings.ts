import { LOG_LEVELS } from "../log/log.ts";
import { TAGS_PER_NAMESPACE } from "../model/limits.ts";
import {
  choice,
  EDITION_NAMES,
  FAILOVER_NAMES,
  limit,
  limitOrNone,
  list,
  only,
  port,
  seconds,
  type Setting,
  STORAGE_NAMES,
  tagLimit,
  text,
  toggle,
  type ValuesOf,
} from "./setting.ts";

// One line per setting, so that it reads like the table it is.
// deno-fmt-ignore
const server = {
  edition: choice("SERVICE_EDITION", EDITION_NAMES, "A", false, "interface that the server offers: A (POST /write), B (transactions under /tx), C (tickets)"),
  socketPath: text("SERVICE_SOCKET_PATH", "socketPath", "/run/service/service.sock", "unix socket to listen on; wins over bindAddress and port whenever it is set"),
  socketMode: text("SERVICE_SOCKET_MODE", "mode", "0600", "permissions of the unix socket, an octal string"),
  bindAddress: text("SERVICE_BIND_ADDRESS", "address", "127.0.0.1", "TCP address to listen on; setting it or port switches to TCP"),
  port: port("SERVICE_PORT", 8085, "TCP port to listen on, 0 for any that is free; setting it or bindAddress switches to TCP"),
  enableAuth: toggle("SERVICE_ENABLE_AUTH", "require a bearer token on every request"),
  authToken: text("SERVICE_AUTH_TOKEN", "token", undefined, "the bearer token with all rights; required when enableAuth is on, unless there are other tokens"),
  tokensFile: text("SERVICE_TOKENS_FILE", "path", undefined, "with enableAuth: file with further [[tokens]], such as a secret of a container; SIGHUP reads it again"),
  openHealth: toggle("SERVICE_OPEN_HEALTH", "with enableAuth: answer GET /health without a token, but without details"),
  recordTokenName: toggle("SERVICE_RECORD_TOKEN_NAME", "keep the name of the token in the metadata of each event that it writes, as writtenBy, which no client can write"),
  allowedHosts: list("SERVICE_ALLOWED_HOSTS", "hosts", "without enableAuth: public names by which clients may address the server (Host), and whose web pages may send requests (Origin)"),
  dataDir: text("SERVICE_DATA_DIR", "path", "data", "directory that holds the database"),
  storage: choice("SERVICE_STORAGE", STORAGE_NAMES, "sqlite", false, "where events are stored: sqlite (a file in dataDir) or postgres (the database that postgresUrl names)"),
  postgresUrl: text("SERVICE_POSTGRES_URL", "postgresUrl", undefined, "storage postgres: postgresql://user:password@host:port/database, with ?sslmode= and ?sslrootcert=; commas separate several hosts"),
  postgresReadUrl: text("SERVICE_POSTGRES_READ_URL", "postgresUrl", undefined, "storage postgres: replicas of that database, for reading pages of events"),
  postgresSchema: text("SERVICE_POSTGRES_SCHEMA", "schema", "eventstore", "storage postgres: schema of the database that holds the tables"),
  postgresPoolSize: limit("SERVICE_POSTGRES_POOL_SIZE", 8, "storage postgres: connections for reads, instead of readPoolSize, and as many for replicas; the server opens two more, for writes and notifications"),
  postgresFailover: choice("SERVICE_POSTGRES_FAILOVER", FAILOVER_NAMES, "verify", false, "storage postgres: with verify, the servers check after a failover that no event they have seen is missing, else the store gets a new ID; lossless says that you promote only synchronous replicas"),
  subjects: list("SERVICE_SUBJECTS", "identifiers", "identifiers that stand for a person, as in student: payloads of events with one of them are stored encrypted, and POST /forget makes them unreadable for good"),
  rejectEmails: toggle("SERVICE_REJECT_EMAILS", "reject new events with an identifier or metadata that looks like an e-mail address, since only payloads are encrypted"),
  masterKeyFile: text("SERVICE_MASTER_KEY_FILE", "path", undefined, "with subjects: file with the master key that encrypts their keys, 32 bytes in Base64; further lines are earlier master keys"),
  masterKey: text("SERVICE_MASTER_KEY", "masterKey", undefined, "with subjects: the same in place of a file; commas separate several"),
  logLevel: choice("SERVICE_LOG_LEVEL", LOG_LEVELS, "warning", true, "lowest level logged"),
  logReasons: toggle("SERVICE_LOG_REASONS", "log the path and the reason of each 400, 413, 500 and 507 on standard error"),
  logTimestamps: toggle("SERVICE_LOG_TIMESTAMPS", "begin each line of output with the time in UTC"),
  devMode: toggle("SERVICE_DEV_MODE", "enable POST /reset and profiling; never in production"),
  defaultEventsPerPage: limit("SERVICE_DEFAULT_EVENTS_PER_PAGE", 1000, "events per page when a read gives no limit; at most maxEventsPerPage"),
  maxEventsPerPage: limit("SERVICE_MAX_EVENTS_PER_PAGE", 10000, "highest limit that a read may ask for"),
  maxEventSize: limit("SERVICE_MAX_EVENT_SIZE", 65536, "bytes per event (type, tags, payload)"),
  maxTagsPerEvent: tagLimit("SERVICE_MAX_TAGS_PER_EVENT", TAGS_PER_NAMESPACE, "identifiers per event, and separately metadata"),
  maxProjectionSize: limit("SERVICE_MAX_PROJECTION_SIZE", 65536, "bytes per projection (type, id, payload)"),
  readPoolSize: limit("SERVICE_READ_POOL_SIZE", 8, "the most connections for reads; the server opens as many as there are cores, and more next to long reads"),
  preloadMebibytes: limitOrNone("SERVICE_PRELOAD_MEBIBYTES", 65536, "storage sqlite: after its start, the server reads this much of the end of a large file, so that the system caches it; never more than half of the available memory; 0 for nothing"),
  maxRequestBodySize: only(["A", "B"], limit("SERVICE_MAX_REQUEST_BODY_SIZE", 8388608, "bytes per request body")),
  maxQueuedWrites: only(["A", "B"], limit("SERVICE_MAX_QUEUED_WRITES", 100, "requests that may wait in the write queue at once")),
  maxProjectionsPerWrite: only(["A", "B"], limit("SERVICE_MAX_PROJECTIONS_PER_WRITE", 500, "projections per POST /write (A) or POST /projections (B)")),
  maxEventsPerWrite: only(["A"], limit("SERVICE_MAX_EVENTS_PER_WRITE", 100, "events, and separately conditions, per POST /write")),
  txIdleTimeout: only(["B"], seconds("SERVICE_TX_IDLE_TIMEOUT", 60, "seconds without a call before a transaction ends")),
  maxEventsPerTx: only(["B"], limit("SERVICE_MAX_EVENTS_PER_TX", 100, "events that a transaction may write")),
  maxReadsPerTx: only(["B"], limit("SERVICE_MAX_READS_PER_TX", 100, "reads of events in a transaction")),
  maxProjectionsPerTx: only(["B"], limit("SERVICE_MAX_PROJECTIONS_PER_TX", 500, "distinct projections that a transaction may write")),
  maxOpenTx: only(["B"], limit("SERVICE_MAX_OPEN_TX", 1000, "transactions open at once")),
  transactionTimeout: only(["C"], seconds("SERVICE_TRANSACTION_TIMEOUT", 5, "seconds without a call before a transaction is rolled back")),
  maxTransactionDuration: only(["C"], seconds("SERVICE_MAX_TRANSACTION_DURATION", 15, "seconds that a transaction may take in total; at least transactionTimeout")),
  maxQueuedTransactions: only(["C"], limit("SERVICE_MAX_QUEUED_TRANSACTIONS", 100, "requests that may wait for a ticket at once")),
  maxProjectionsPerRequest: only(["C"], limit("SERVICE_MAX_PROJECTIONS_PER_REQUEST", 100, "projections per POST /projections")),
};

// deno-fmt-ignore
const backup = {
  sourceUrl: text("SERVICE_BACKUP_SOURCE_URL", "url", undefined, "server to copy from, http:// or https://; this or sourceSocket"),
  sourceSocket: text("SERVICE_BACKUP_SOURCE_SOCKET", "socketPath", undefined, "unix socket of the server to copy from; this or sourceUrl"),
  sourceCaFile: text("SERVICE_BACKUP_SOURCE_CA_FILE", "path", undefined, "certificates (PEM) of the authority of an https:// sourceUrl"),
  sourceToken: text("SERVICE_BACKUP_SOURCE_TOKEN", "token", undefined, "bearer token of the server to copy from"),
  dataDir: text("SERVICE_BACKUP_DATA_DIR", "path", "backup", "directory that holds the backups"),
  pageLimit: limit("SERVICE_BACKUP_PAGE_LIMIT", 1000, "events per page; at most the server's maxEventsPerPage"),
};

/**
 * Every setting of every program: section of the file, key, variable, kind, default, range, editions, help.
 * Types, checks, the starter file, `--help` and docs/settings.md all come from here. The groups of that page are in
 * tools/docs/settings_page.ts.
 */
export const settings = { server, backup } satisfies Record<string, Record<string, Setting>>;

export type Section = keyof typeof settings;
export type SectionValues<S extends Section> = ValuesOf<(typeof settings)[S]>;

export const sections = Object.keys(settings) as Section[];

/** The rows of a section in the order of the table. */
export function settingsOf(section: Section): [key: string, setting: Setting][] {
  return Object.entries<Setting>(settings[section]);
}
