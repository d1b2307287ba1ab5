import { listenText } from "../config/in_effect.ts";
import type { ServerSettings } from "../config/load.ts";
import type { Address } from "../model/address.ts";
import { WriteQueue } from "../turns/write_queue.ts";
import type { Edition } from "../editions/edition.ts";
import type { Log } from "../log/log.ts";
import { seldom } from "../log/seldom.ts";
import { makeTokenCheck } from "../http/authorization.ts";
import { type Handler, Malformed, type Transport } from "../http/exchange.ts";
import { makeOriginCheck } from "../http/own_origin.ts";
import type { ConnectionCounts } from "../http/connection_counts.ts";
import { makePipeline } from "../http/pipeline.ts";
import { reasonFor } from "../http/reasons.ts";
import { RequestMetrics } from "../http/request_metrics.ts";
import { listen } from "../http/transport/listener.ts";
import { checkSocketPath, listenAtPath, ListenError } from "../http/transport/unix_socket.ts";
import { makeDataDirectory } from "../store/sqlite/data_directory/data_directory.ts";
import { SqliteStore } from "../store/sqlite/sqlite_store.ts";
import type { Store } from "../store/store.ts";
import { DescriptorBudget } from "./descriptors.ts";
import { fewDescriptors, readersOf } from "./machine.ts";
import { programMetrics, type ProgramParts } from "./program_metrics.ts";

/** How long what is in progress may take once the server has been asked to stop. */
const STOP_MILLISECONDS_MAX = 10_000;

export interface ServerParts {
  readonly settings: ServerSettings;
  readonly edition: Edition;
  readonly log: Log;
  /** Called with failures that clients only see as `500`. */
  readonly reportFailure: (error: Error) => void;
  /** Called with the reason why no write can be trusted any more; the process should end. */
  readonly onBroken: (reason: string) => void;
  /** Called with the reason why writes are refused from now on; the process should go on, for reads. */
  readonly onLost: (reason: string) => void;
  /** See `WriteQueueOptions`; for the benchmark. */
  readonly groupWritesMax?: number;
}

export interface RunningServer {
  readonly storeId: string;
  /** Whether the database was created by this start. */
  readonly created: boolean;
  /** Starts accepting connections. */
  listen(): Promise<void>;
  /** Stops accepting, refuses waiting writes, gives running requests at most 10 s, and closes the store. */
  stop(): Promise<void>;
}

/**
 * Puts the server together, up to the point where it may listen.
 * @throws StoreFileError, PostgresStoreError or ListenError with one line for the operator
 */
export async function startServer(parts: ServerParts): Promise<RunningServer> {
  const { settings, edition } = parts;
  // Early, so that a start that cannot succeed creates nothing; the path is taken only under the lock of the data.
  if (settings.listen.transport === "unix") await checkSocketPath(settings.listen.path);
  const readers = readersOf(settings);
  const descriptors = new DescriptorBudget(readers.wanted);
  if (descriptors.readers < readers.wanted) {
    parts.log.note("warning", fewDescriptors(readers, descriptors.readers));
  }
  const store = await openStore(parts, descriptors.readers);
  store.onBroken = parts.onBroken;
  store.onLost = parts.onLost;

  const queue = new WriteQueue({
    ...edition.queueLimit(settings),
    runGroup: (writes, more) => store.turns.group(writes, more),
    groupWritesMax: parts.groupWritesMax ?? Infinity,
  });
  const { reportFailure } = parts;
  const warn = (text: string): void => parts.log.note("warning", text);
  const warnOfCheckpoint = seldom(warn);
  store.onCheckpointFailed = (reason) =>
    warnOfCheckpoint(`the WAL cannot be moved into the store's file: ${reason}`);
  const requests = new RequestMetrics();
  const connections: ConnectionCounts = { open: 0, refused: 0 };
  const program = { edition: settings.edition, requests, connections, descriptors };
  const host = { settings, store, queue, programMetrics: () => programMetrics(program), reportFailure, warn };
  const open = edition.open(host);
  const handler = makePipeline({
    routes: open.routes,
    originCheck: settings.devMode && settings.authToken === undefined
      ? makeOriginCheck(settings.listen)
      : undefined,
    tokenAccepted: settings.authToken === undefined ? undefined : makeTokenCheck(settings.authToken),
    bodyLimit: edition.bodyLimit(settings),
    log: parts.log,
    metrics: requests,
    reportFailure,
  });

  let listening: Promise<Transport> | undefined;
  return {
    storeId: store.opened.storeId,
    created: store.opened.created,
    async listen() {
      listening = listenOn(settings.listen, handler, program, parts.log);
      await listening;
    },
    async stop() {
      open.close();
      store.arrivals.close();
      const closed = listening?.then((transport) => transport.close(STOP_MILLISECONDS_MAX));
      const drained = Promise.all([queue.shutdown(), closed]);
      if (await settlesWithin(STOP_MILLISECONDS_MAX, drained)) await store.close();
    },
  };
}

async function openStore(
  { settings, edition: { servers } }: ServerParts,
  readersMax: number,
): Promise<Store> {
  const { dataDir, edition, postgres } = settings;
  if (postgres === undefined) return await SqliteStore.open({ dataDir, readersMax });
  // A server on SQLite does without it.
  const { PostgresStore } = await import("../store/postgres/postgres_store.ts");
  const store = await PostgresStore.open(postgres, { readersMax, edition, servers });
  // Its pause is a file, whatever the storage is.
  if (edition === "C") makeDataDirectory(dataDir);
  return store;
}

async function listenOn(
  where: ServerSettings["listen"],
  handler: Handler,
  { requests, connections, descriptors }: ProgramParts,
  log: Pick<Log, "write" | "refused" | "note">,
): Promise<Transport> {
  const onMalformed = (status: number, message: string): void => {
    requests.malformed();
    const request = { method: "-", path: "-", status };
    log.write("info", { ...request, bytes: 0, milliseconds: 0 });
    const reason = reasonFor(status, new Malformed(message));
    if (reason !== undefined) log.refused(request, reason);
  };
  const warn = seldom((text) => log.note("warning", text));
  const hasRoom = (open: number): boolean => {
    const has = descriptors.hasRoom(open);
    if (!has) warn(`connections are refused: ${open} are open, as many as file descriptors allow`);
    return has;
  };
  const start = (where: Address): Transport =>
    listen(where, handler, { hasRoom, onMalformed, counts: connections });
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

/** Whether the promise settles in time. */
async function settlesWithin(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => timer = setTimeout(() => resolve(false), milliseconds + 500));
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
