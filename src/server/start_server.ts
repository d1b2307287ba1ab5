import type { Listen, ServerSettings } from "../config/load.ts";
import { WriteQueue } from "../core/write_queue.ts";
import type { Edition } from "../editions/edition.ts";
import type { AccessLog } from "../http/access_log.ts";
import { makeTokenCheck } from "../http/authorization.ts";
import type { Handler, Transport } from "../http/exchange.ts";
import { makePipeline } from "../http/pipeline.ts";
import { listen } from "../http/transport/listener.ts";
import { clearSocketPath, ListenError, withSocketMode } from "../http/transport/unix_socket.ts";
import { Store } from "../store/store.ts";
import { freeDescriptors, shareDescriptors } from "./descriptors.ts";

/** How long what is under way may take once the server was told to stop. */
const STOP_MILLISECONDS_MAX = 10_000;

export interface ServerParts {
  readonly settings: ServerSettings;
  readonly edition: Edition;
  readonly log: AccessLog;
  /** Told of failures that clients only see as `500`. */
  readonly reportFailure: (error: Error) => void;
  /** Told why no write can be trusted any more; the process should end. */
  readonly onBroken: (reason: string) => void;
  /** See `WriteQueueOptions`; for the benchmark. */
  readonly groupWritesMax?: number;
}

export interface RunningServer {
  readonly storeId: string;
  /** Whether the database was created by this start. */
  readonly created: boolean;
  /** Starts to accept connections. */
  listen(): void;
  /** Stops accepting, refuses writes that wait, finishes what runs for at most 10 s, and closes the store. */
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
  const store = await Store.open({ dataDir: settings.dataDir, readersMax: descriptors.readers });
  store.onBroken = parts.onBroken;

  const groupWritesMax = parts.groupWritesMax ?? Infinity;
  const runGroup: Store["group"] = (writes) => store.group(writes);
  const queue = new WriteQueue({ ...edition.queueLimit(settings), runGroup, groupWritesMax });
  const { literals } = edition;
  const { reportFailure } = parts;
  const warn = (text: string): void => parts.log.note("warning", text);
  const open = edition.open({ settings, literals, store, queue, reportFailure, warn });
  const handler = makePipeline({
    routes: open.routes,
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
      if (await within(STOP_MILLISECONDS_MAX, drained)) await store.close();
    },
  };
}

function listenOn(
  where: Listen,
  handler: Handler,
  connectionsMax: number,
  log: Pick<AccessLog, "write">,
): Transport {
  const onMalformed = (status: number): void => {
    log.write("info", { method: "-", path: "-", status, bytes: 0, milliseconds: 0 });
  };
  const start = (): Transport => listen(where, handler, { connectionsMax, onMalformed });
  try {
    return where.transport === "tcp" ? start() : withSocketMode(where.path, where.mode, start);
  } catch (error) {
    throw new ListenError(`can't listen on ${addressText(where)}: ${(error as Error).message}`);
  }
}

/** Where the server listens, as a person would write it. */
export function addressText(listen: Listen): string {
  if (listen.transport === "unix") return listen.path;
  const host = listen.hostname.includes(":") ? `[${listen.hostname}]` : listen.hostname;
  return `http://${host}:${listen.port}`;
}

/** Whether the promise settles in time. */
async function within(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => timer = setTimeout(() => resolve(false), milliseconds + 500));
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
