import type { LogLevel } from "../model/errors.ts";
import {
  type ChoiceSetting,
  type Edition,
  limit,
  mode,
  port,
  seconds,
  type Setting,
  text,
  toggle,
  type ValuesOf,
} from "./setting.ts";

const edition: ChoiceSetting<Edition> = {
  kind: "choice",
  variable: "SERVICE_EDITION",
  editions: "ABC",
  default: "A",
  choices: ["A", "B", "C"],
  ignoreCase: false,
  help: "interface that the server speaks: A (POST /write), B (transactions under /tx), C (tickets)",
};

const logLevel: ChoiceSetting<LogLevel> = {
  kind: "choice",
  variable: "SERVICE_LOG_LEVEL",
  editions: "ABC",
  default: "warning",
  choices: ["debug", "info", "warning", "error"],
  ignoreCase: true,
  help: "lowest level logged",
};

// One line per setting reads like the table that it is.
// deno-fmt-ignore
const server = {
  edition,
  socketPath: text("SERVICE_SOCKET_PATH", "ABC", "socketPath", "/run/service/service.sock", "unix socket to listen on; wins over bindAddress and port whenever it is set"),
  socketMode: mode("SERVICE_SOCKET_MODE", "ABC", "0600", "permissions of the unix socket, an octal string"),
  bindAddress: text("SERVICE_BIND_ADDRESS", "ABC", "address", "127.0.0.1", "TCP address to listen on; setting it or port switches to TCP"),
  port: port("SERVICE_PORT", "ABC", 8085, "TCP port to listen on; setting it or bindAddress switches to TCP"),
  enableAuth: toggle("SERVICE_ENABLE_AUTH", "ABC", "ask every request for the bearer token"),
  authToken: text("SERVICE_AUTH_TOKEN", "ABC", "token", undefined, "the bearer token; needed when enableAuth is on"),
  dataDir: text("SERVICE_DATA_DIR", "ABC", "path", "data", "directory that holds the database"),
  logLevel,
  devMode: toggle("SERVICE_DEV_MODE", "ABC", "enable POST /reset and profiling; never in production"),
  defaultEventsPerPage: limit("SERVICE_DEFAULT_EVENTS_PER_PAGE", "ABC", 1000, "events per page when a read gives no limit; at most maxEventsPerPage"),
  maxEventsPerPage: limit("SERVICE_MAX_EVENTS_PER_PAGE", "ABC", 10000, "highest limit that a read may give"),
  maxEventSize: limit("SERVICE_MAX_EVENT_SIZE", "ABC", 65536, "bytes per event (type, tags, payload)"),
  maxProjectionSize: limit("SERVICE_MAX_PROJECTION_SIZE", "ABC", 65536, "bytes per projection (type, id, payload)"),
  readPoolSize: limit("SERVICE_READ_POOL_SIZE", "ABC", 8, "database connections for reads, hence concurrent reads"),
  maxRequestBodySize: limit("SERVICE_MAX_REQUEST_BODY_SIZE", "AB", 8388608, "bytes per request body"),
  maxQueuedWrites: limit("SERVICE_MAX_QUEUED_WRITES", "AB", 100, "requests waiting for their turn at once"),
  maxProjectionsPerWrite: limit("SERVICE_MAX_PROJECTIONS_PER_WRITE", "AB", 500, "projections per POST /write (A) or POST /projections (B)"),
  maxEventsPerWrite: limit("SERVICE_MAX_EVENTS_PER_WRITE", "A", 100, "events, and separately conditions, per POST /write"),
  txIdleTimeout: seconds("SERVICE_TX_IDLE_TIMEOUT", "B", 60, "seconds without a call before a transaction ends"),
  maxEventsPerTx: limit("SERVICE_MAX_EVENTS_PER_TX", "B", 100, "events that a transaction writes"),
  maxReadsPerTx: limit("SERVICE_MAX_READS_PER_TX", "B", 100, "reads of events in a transaction"),
  maxProjectionsPerTx: limit("SERVICE_MAX_PROJECTIONS_PER_TX", "B", 500, "distinct projections that a transaction writes"),
  maxOpenTx: limit("SERVICE_MAX_OPEN_TX", "B", 1000, "transactions open at once"),
  transactionTimeout: seconds("SERVICE_TRANSACTION_TIMEOUT", "C", 5, "seconds without a call before a transaction is rolled back"),
  maxTransactionDuration: seconds("SERVICE_MAX_TRANSACTION_DURATION", "C", 15, "seconds that a transaction may take in total; at least transactionTimeout"),
  maxQueuedTransactions: limit("SERVICE_MAX_QUEUED_TRANSACTIONS", "C", 100, "requests waiting for a ticket at once"),
  maxProjectionsPerRequest: limit("SERVICE_MAX_PROJECTIONS_PER_REQUEST", "C", 100, "projections per POST /projections"),
};

// deno-fmt-ignore
const backup = {
  sourceUrl: text("SERVICE_BACKUP_SOURCE_URL", "", "url", undefined, "server to copy from, http:// or https://; this or sourceSocket"),
  sourceSocket: text("SERVICE_BACKUP_SOURCE_SOCKET", "", "socketPath", undefined, "unix socket of the server to copy from; this or sourceUrl"),
  sourceToken: text("SERVICE_BACKUP_SOURCE_TOKEN", "", "token", undefined, "bearer token of the server to copy from"),
  dataDir: text("SERVICE_BACKUP_DATA_DIR", "", "path", "backup", "directory that holds the backups"),
  pageLimit: limit("SERVICE_BACKUP_PAGE_LIMIT", "", 1000, "events per page; at most maxEventsPerPage of the server"),
};

/**
 * Every setting of every program: section of the file, key, variable, kind, default, range, editions, help.
 * Types, checks, the starter file, `--help` and the tables of the README all come from here.
 */
export const settings = { server, backup } satisfies Record<string, Record<string, Setting>>;

export type Section = keyof typeof settings;
export type SectionValues<S extends Section> = ValuesOf<(typeof settings)[S]>;

export const sections = Object.keys(settings) as Section[];

/** The rows of a section in the order of the table. */
export function settingsOf(section: Section): [key: string, setting: Setting][] {
  return Object.entries<Setting>(settings[section]);
}
