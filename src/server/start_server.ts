import { withTimeout } from "../async/with_timeout.ts";
import { listenText } from "../config/in_effect.ts";
import type { ServerSettings } from "../config/load.ts";
import type { TokenSetting } from "../config/tokens.ts";
import type { Address } from "../model/address.ts";
import type { Edition } from "../editions/edition.ts";
import type { Log } from "../log/log.ts";
import { rateLimited } from "../log/rate_limited.ts";
import { Tokens } from "../http/authorization.ts";
import { type Handler, Malformed, type Transport } from "../http/exchange.ts";
import { reasonFor } from "../http/request_reports.ts";
import { RequestMetrics } from "../http/request_metrics.ts";
import { type ConnectionCounts, listen } from "../http/transport/listener.ts";
import { checkSocketPath, listenAtPath, ListenError } from "../http/transport/unix_socket.ts";
import { SqliteStore } from "../store/sqlite/sqlite_store.ts";
import type { FirstRole } from "../store/api/standby.ts";
import { DescriptorBudget } from "./descriptors.ts";
import { fewDescriptors, readersOf } from "./machine.ts";
import { programMetrics, type ProgramParts } from "./program_metrics.ts";
import { Role } from "./role.ts";

/** How long requests in progress may take after the server was asked to stop. */
const STOP_MILLISECONDS_MAX = 10_000;

export interface ServerParts {
  readonly settings: ServerSettings;
  readonly edition: Edition;
  readonly log: Log;
  /** Called with failures that clients only see as `500`. */
  readonly reportFailure: (error: Error) => void;
  /** Called with the reason why no write can be trusted any more; the process should end. */
  readonly onBroken: (reason: string) => void;
  /** Called with the reason why writes are rejected from now on. The process should continue, for reads. */
  readonly onLost: (reason: string) => void;
  /** Called with a line when the server takes over from another one, or stands by for it. */
  readonly onRole: (line: string) => void;
  /** See `WriteQueueOptions`; for the benchmark. */
  readonly groupWritesMax?: number;
}

export interface RunningServer {
  readonly storeId: string;
  /** True when this start created the database. */
  readonly created: boolean;
  /** True when this server works on the store, false while it stands by for another server. */
  readonly isActive: boolean;
  /** Starts accepting connections. @returns where, with the port that was chosen if the settings name none */
  listen(): Promise<Address>;
  /** Takes other tokens, if the server requires any. */
  replaceTokens(tokens: readonly TokenSetting[]): void;
  /**
   * Stops accepting, rejects waiting writes, gives running requests at most 10 s, and closes the store. If a request
   * takes longer, the store is left as it is, and the next start recovers it.
   */
  stop(): Promise<void>;
}

/**
 * Assembles the server, up to the point where it may listen.
 * @throws StoreFileError, PostgresStoreError or ListenError with one line for the operator
 */
export async function startServer(parts: ServerParts): Promise<RunningServer> {
  const { settings } = parts;
  // Early, so that a start that cannot succeed creates nothing. The path is taken later, under the lock of the data.
  if (settings.listen.transport === "unix") await checkSocketPath(settings.listen.path);
  const readers = readersOf(settings);
  const descriptors = new DescriptorBudget(readers.wanted);
  if (descriptors.readers < readers.wanted) {
    parts.log.note("warning", fewDescriptors(readers, descriptors.readers));
  }
  const { store, standby } = await openStore(parts, descriptors.readers);
  const requests = new RequestMetrics();
  const tokens = settings.tokens && new Tokens(settings.tokens);
  const connections: ConnectionCounts = { open: 0, rejected: 0 };
  const role: Role = new Role({
    ...parts,
    requests,
    tokens,
    programMetrics: () => programMetrics(program),
    groupWritesMax: parts.groupWritesMax ?? Infinity,
  }, standby);
  const program = { edition: settings.edition, requests, tokens, connections, descriptors, role };
  role.begin(store);

  let listening: Promise<Transport> | undefined;
  return {
    storeId: role.storeId,
    created: store?.opened.created ?? false,
    isActive: store !== undefined,
    async listen() {
      listening = listenOn(settings.listen, role.handler, program, parts.log);
      const { port } = await listening;
      return port === undefined ? settings.listen : { ...settings.listen, port } as Address;
    },
    replaceTokens: (others) => tokens?.replace(others),
    async stop() {
      const ended = role.end();
      const closed = listening?.then((transport) => transport.close(STOP_MILLISECONDS_MAX));
      const drained = Promise.all([ended, closed]).then(() => true);
      if (await withTimeout(drained, STOP_MILLISECONDS_MAX + 500, () => false)) await role.close();
    },
  };
}

async function openStore(
  { settings, edition: { servers } }: ServerParts,
  readersMax: number,
): Promise<FirstRole> {
  const { dataDir, preloadMebibytes, subjects, masterKeys, edition, postgres, devMode: mayReset } = settings;
  if (postgres === undefined) {
    const preloadBytes = preloadMebibytes * 2 ** 20;
    const store = await SqliteStore.open({ dataDir, readersMax, subjects, masterKeys, preloadBytes });
    return { store, standby: undefined };
  }
  // Loaded on demand: a server on SQLite does not need it.
  const { openPostgres } = await import("../store/postgres/open_postgres.ts");
  return await openPostgres(postgres, {
    readersMax,
    subjects,
    masterKeys,
    edition,
    servers,
    mayReset,
    failover: postgres.failover,
  });
}

async function listenOn(
  where: ServerSettings["listen"],
  handler: Handler,
  { requests, connections, descriptors }: ProgramParts,
  log: Pick<Log, "write" | "rejected" | "note">,
): Promise<Transport> {
  const onMalformed = (status: number, message: string): void => {
    requests.malformed();
    const request = { method: "-", path: "-", status };
    log.write("info", { ...request, bytes: 0, milliseconds: 0 });
    const reason = reasonFor(status, new Malformed(message));
    if (reason !== undefined) log.rejected(request, reason);
  };
  const warn = rateLimited((text) => log.note("warning", text));
  const hasCapacity = (open: number): boolean => {
    const has = descriptors.hasCapacity(open);
    if (!has) warn(`connections are rejected: ${open} are open, as many as file descriptors allow`);
    return has;
  };
  const start = (where: Address): Transport =>
    listen(where, handler, { hasCapacity, onMalformed, counts: connections });
  try {
    if (where.transport === "tcp") return start(where);
    return await listenAtPath(where, (path) => start({ transport: "unix", path }));
  } catch (error) {
    if (error instanceof ListenError) throw error;
    const isForbidden = where.transport === "unix" && error instanceof Deno.errors.PermissionDenied;
    const { message } = error as Error;
    throw new ListenError(`cannot listen on ${listenText(where)}: ${message}`, isForbidden);
  }
}
