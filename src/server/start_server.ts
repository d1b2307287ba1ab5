import type { ServerSettings } from "../config/load.ts";
import { addressText } from "../model/address.ts";
import { WriteQueue } from "../turns/write_queue.ts";
import type { Edition } from "../editions/edition.ts";
import type { Log } from "../log/log.ts";
import { makeTokenCheck } from "../http/authorization.ts";
import type { Handler, Transport } from "../http/exchange.ts";
import { makeOriginCheck } from "../http/own_origin.ts";
import { makePipeline } from "../http/pipeline.ts";
import { listen } from "../http/transport/listener.ts";
import { clearSocketPath, ListenError, withSocketMode } from "../http/transport/unix_socket.ts";
import { SqliteStore } from "../store/sqlite/sqlite_store.ts";
import { freeDescriptors, shareDescriptors } from "./descriptors.ts";

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
  /** See `WriteQueueOptions`; for the benchmark. */
  readonly groupWritesMax?: number;
}

export interface RunningServer {
  readonly storeId: string;
  /** Whether the database was created by this start. */
  readonly created: boolean;
  /** Starts accepting connections. */
  listen(): void;
  /** Stops accepting, refuses waiting writes, gives running requests at most 10 s, and closes the store. */
  stop(): Promise<void>;
}

/**
 * Puts the server together, up to the point where it may listen.
 * @throws StoreFileError or ListenError with one line for the operator
 */
export async function startServer(parts: ServerParts): Promise<RunningServer> {
  const { settings, edition } = parts;
  if (settings.listen.transport === "unix") await clearSocketPath(settings.listen.path);
  const descriptors = shareDescriptors(freeDescriptors(settings.readPoolSize), settings.readPoolSize);
  const store = await SqliteStore.open({ dataDir: settings.dataDir, readersMax: descriptors.readers });
  store.onBroken = parts.onBroken;

  const queue = new WriteQueue({
    ...edition.queueLimit(settings),
    runGroup: (writes) => store.turns.group(writes),
    groupWritesMax: parts.groupWritesMax ?? Infinity,
  });
  const { reportFailure } = parts;
  const warn = (text: string): void => parts.log.note("warning", text);
  const open = edition.open({ settings, store, queue, reportFailure, warn });
  const handler = makePipeline({
    routes: open.routes,
    originCheck: settings.devMode && settings.authToken === undefined
      ? makeOriginCheck(settings.listen)
      : undefined,
    tokenAccepted: settings.authToken === undefined ? undefined : makeTokenCheck(settings.authToken),
    bodyLimit: edition.bodyLimit(settings),
    log: parts.log,
    reportFailure,
  });

  let transport: Transport | undefined;
  return {
    storeId: store.opened.storeId,
    created: store.opened.created,
    listen() {
      transport = listenOn(settings.listen, handler, descriptors.connections, parts.log);
    },
    async stop() {
      open.close();
      const drained = Promise.all([queue.shutdown(), transport?.close(STOP_MILLISECONDS_MAX)]);
      if (await settlesWithin(STOP_MILLISECONDS_MAX, drained)) await store.close();
    },
  };
}

function listenOn(
  where: ServerSettings["listen"],
  handler: Handler,
  connectionsMax: number,
  log: Pick<Log, "write">,
): Transport {
  const onMalformed = (status: number): void => {
    log.write("info", { method: "-", path: "-", status, bytes: 0, milliseconds: 0 });
  };
  const start = (): Transport => listen(where, handler, { connectionsMax, onMalformed });
  try {
    return where.transport === "tcp" ? start() : withSocketMode(where.path, where.mode, start);
  } catch (error) {
    throw new ListenError(`cannot listen on ${addressText(where)}: ${(error as Error).message}`);
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
