import type { PostgresCluster } from "../tests/system/postgres/support/cluster.ts";
import { ChildProcess } from "./child_process.ts";
import type { Results, RowName } from "./report.ts";
import { measureRows, on, type Rounds } from "./rounds.ts";
import { SampleEvents } from "./sample_events.ts";
import { measureStart, type Started } from "./start.ts";
import { makeStores, type StoreHome, type Stores } from "./stores.ts";
import { withReaders } from "./workloads/writes_with_readers.ts";
import { bulk } from "./workloads/bulk.ts";
import { delivery } from "./workloads/delivery.ts";
import { fullScan } from "./workloads/full_scan.ts";
import { oneEvent } from "./workloads/one_event.ts";
import {
  readByArticle,
  readByOrder,
  readByTypeAndCustomer,
  readLast,
  readLastOfArticle,
} from "./workloads/selective_read.ts";
import { speedrun } from "./workloads/speedrun.ts";
import { ticketRows } from "./workloads/ticket.ts";
import { transaction } from "./workloads/transaction.ts";
import { bareTransport } from "./baselines/bare_transport.ts";
import { diskSync } from "./baselines/disk_sync.ts";
import { insertLoop } from "./baselines/insert_loop.ts";
import { pageRead } from "./baselines/page_read.ts";

export const SERVER = new URL("../main.ts", import.meta.url);
const SERVER_IN_GROUPS_OF_ONE = new URL("./server_entry.ts", import.meta.url);
const BARE_TRANSPORT = new URL("./baselines/bare_transport_entry.ts", import.meta.url);

/** The default limit of waiting writes is lower than the clients of the largest row. */
export const MANY_WRITERS = { SERVICE_MAX_QUEUED_WRITES: "400" };

export const WRITE_SEED = 2;
export const READ_SEED = 3;

export interface Plan extends Rounds<RowName> {
  /** An empty directory for stores in files, and for other data of the servers. */
  readonly directory: string;
  /** The database of the servers, unless their events are in a file. */
  readonly database: PostgresCluster | undefined;
  readonly storeEvents: number;
  readonly unix: boolean;
  /** Collects the servers that are started. The caller disposes of it. */
  readonly servers: AsyncDisposableStack;
  readonly onStart: (started: Started) => void;
}

/** Measures every row. Reads come first, while the store holds exactly the events that it was filled with. */
export async function measureAll(plan: Plan): Promise<{ readonly rows: Results; readonly start: Started }> {
  const stores = await makeStores(plan);
  const { dataDir, settings } = stores.server;
  const start = await measureStart(() => plan.servers.use(spawnServer(plan, SERVER, dataDir, settings)));
  plan.onStart(start);
  const reads = await measureReads(plan, stores);
  const server = await startOn(plan, SERVER, stores.server, MANY_WRITERS);
  const smallWrites = await measureSmallWrites(plan, server, stores);

  // With the same seed, both write the same events.
  const bulkSample = new SampleEvents(plan.storeEvents, WRITE_SEED);
  const loopSample = new SampleEvents(plan.storeEvents, WRITE_SEED);
  const bulkWrites = await measureRows(plan, {
    bulk: on(server, (address, timing) => bulk(address, 16, bulkSample, timing)),
    preload: on(server, (address, timing) => bulk(address, 4, bulkSample, timing)),
    insertLoop: (timing) => insertLoop(stores.insertLoop, loopSample, timing),
  });
  return { rows: { ...reads, ...smallWrites, ...bulkWrites }, start };
}

async function measureReads(plan: Plan, stores: Stores) {
  const { storeEvents } = plan;
  await using server = await startOn(plan, SERVER, stores.server);
  const sample = new SampleEvents(storeEvents, READ_SEED);
  const smallReads = await measureRows(plan, {
    readByArticle1: on(server, (address, timing) => readByArticle(address, 1, sample, timing)),
    readByArticle8: on(server, (address, timing) => readByArticle(address, 8, sample, timing)),
    readByArticle64: on(server, (address, timing) => readByArticle(address, 64, sample, timing)),
    readLastOfArticle: on(server, (address, timing) => readLastOfArticle(address, 1, sample, timing)),
    readLast: on(server, (address, timing) => readLast(address, 1, sample, timing)),
    readByOrder: on(server, (address, timing) => readByOrder(address, 4, sample, timing)),
    readByTypeAndCustomer: on(server, (address, timing) => readByTypeAndCustomer(address, 4, sample, timing)),
  });
  // Scans come later, since they leave the server with much more memory than the reads before need.
  const scans = await measureRows(plan, {
    fullScan: on(server, (address, timing) => fullScan(address, storeEvents, timing)),
    pageRead: (timing) => pageRead(stores.pageRead, storeEvents, timing),
  });
  return { ...smallReads, ...scans };
}

async function measureSmallWrites(plan: Plan, server: ChildProcess, stores: Stores) {
  const ungrouped = await startOn(plan, SERVER_IN_GROUPS_OF_ONE, stores.ungrouped);
  const editionB = await startOn(plan, SERVER, stores.editionB, { SERVICE_EDITION: "B" });
  const editionC = await startOn(plan, SERVER, stores.editionC, { SERVICE_EDITION: "C" });
  const bare = await startOn(plan, BARE_TRANSPORT, stores.ungrouped);
  return await measureRows(plan, {
    oneEvent1: on(server, (address, timing) => oneEvent(address, 1, timing)),
    oneEvent8: on(server, (address, timing) => oneEvent(address, 8, timing)),
    oneEvent64: on(server, (address, timing) => oneEvent(address, 64, timing)),
    oneEvent256: on(server, (address, timing) => oneEvent(address, 256, timing)),
    withReaders: on(server, (address, timing) => withReaders(address, 64, 1000, timing)),
    delivery: on(server, (address, timing) => delivery(address, 4, 100, timing)),
    speedrun: on(server, speedrun),
    transaction: on(editionB, transaction),
    ...ticketRows(editionC),
    oneEventUngrouped: on(ungrouped, (address, timing) => oneEvent(address, 64, timing)),
    bareTransport: on(bare, bareTransport),
    diskSync: (timing) => diskSync(plan.directory, timing),
  });
}

function startOn(
  plan: Plan,
  module: URL,
  { dataDir, settings }: StoreHome,
  more: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  return startServer(plan, module, dataDir, { ...settings, ...more });
}

export function spawnServer(
  { directory, unix }: Pick<Plan, "directory" | "unix">,
  module: URL,
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): ChildProcess {
  const home = Deno.makeTempDirSync({ dir: directory });
  return new ChildProcess(module, home, unix, dataDir, settings);
}

export async function startServer(
  plan: Pick<Plan, "directory" | "unix" | "servers">,
  module: URL,
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const server = plan.servers.use(spawnServer(plan, module, dataDir, settings));
  await server.listening();
  return server;
}
