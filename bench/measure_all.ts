import { storePaths } from "../src/store/sqlite/data_directory/database_file.ts";
import { ChildProcess } from "./child_process.ts";
import { fillStore } from "./fill_store.ts";
import { type Measured, measuredOver, type Round, type Timing } from "./measure.ts";
import type { Results, RowName } from "./report.ts";
import { SampleEvents } from "./sample_events.ts";
import { bulk } from "./workloads/bulk.ts";
import { fullScan } from "./workloads/full_scan.ts";
import { oneEvent } from "./workloads/one_event.ts";
import { readByOrder, readByTypeAndCustomer } from "./workloads/selective_read.ts";
import { ticketRows } from "./workloads/ticket.ts";
import { transaction } from "./workloads/transaction.ts";
import { bareTransport } from "./yardsticks/bare_transport.ts";
import { diskSync } from "./yardsticks/disk_sync.ts";
import { insertLoop } from "./yardsticks/insert_loop.ts";
import { pageRead } from "./yardsticks/page_read.ts";

const SERVER = new URL("../main.ts", import.meta.url);
const SERVER_IN_GROUPS_OF_ONE = new URL("./server_entry.ts", import.meta.url);
const BARE_TRANSPORT = new URL("./yardsticks/bare_transport_entry.ts", import.meta.url);

const WARM_UP_SECONDS = 1;
const WRITE_SEED = 2;
const READ_SEED = 3;

export interface Plan {
  /** An empty directory for the stores. */
  readonly directory: string;
  readonly storeEvents: number;
  readonly unix: boolean;
  /** Seconds that each row is measured. */
  readonly seconds: number;
  /** Takes the servers that are started; its creator ends them. */
  readonly servers: AsyncDisposableStack;
  /** Called with each row as soon as it has been measured. */
  readonly onRow: (name: RowName, measured: Measured) => void;
}

/** Rows that are compared take turns, so that all of them see the machine in its good and its bad moments. */
const ROUNDS = 3;

type Rows<Name extends RowName> = Readonly<Record<Name, (timing: Timing) => Promise<Round>>>;

/** Measures every row. Reads come first, while the store holds exactly the events that it was filled with. */
export async function measureAll(plan: Plan): Promise<Results> {
  const { storeEvents } = plan;
  const stores = makeStores(plan);
  const { address } = await startServer(plan, SERVER, stores.server);
  const readSample = new SampleEvents(storeEvents, READ_SEED);
  const reads = await measureRows(plan, {
    fullScan: (timing) => fullScan(address, storeEvents, timing),
    pageRead: (timing) => pageRead(stores.server, storeEvents, timing),
    readByOrder: (timing) => readByOrder(address, readSample, timing),
    readByTypeAndCustomer: (timing) => readByTypeAndCustomer(address, readSample, timing),
  });

  const ungrouped = await startServer(plan, SERVER_IN_GROUPS_OF_ONE, stores.ungrouped);
  const editionB = await startServer(plan, SERVER, stores.editionB, { SERVICE_EDITION: "B" });
  const editionC = await startServer(plan, SERVER, stores.editionC, { SERVICE_EDITION: "C" });
  const bare = await startServer(plan, BARE_TRANSPORT, stores.ungrouped);
  const smallWrites = await measureRows(plan, {
    oneEvent: (timing) => oneEvent(address, timing),
    transaction: (timing) => transaction(editionB.address, timing),
    ...ticketRows(editionC.address),
    oneEventUngrouped: (timing) => oneEvent(ungrouped.address, timing),
    bareTransport: (timing) => bareTransport(bare.address, timing),
    diskSync: (timing) => diskSync(plan.directory, timing),
  });

  // Of one seed, so that both write the same events.
  const bulkSample = new SampleEvents(storeEvents, WRITE_SEED);
  const loopSample = new SampleEvents(storeEvents, WRITE_SEED);
  const bulkWrites = await measureRows(plan, {
    bulk: (timing) => bulk(address, bulkSample, timing),
    insertLoop: (timing) => insertLoop(stores.insertLoop, loopSample, timing),
  });
  return { ...reads, ...smallWrites, ...bulkWrites };
}

async function measureRows<Name extends RowName>(
  plan: Plan,
  rows: Rows<Name>,
): Promise<Record<Name, Measured>> {
  const names = Object.keys(rows) as Name[];
  const rounds = new Map<Name, Round[]>(names.map((name) => [name, []]));
  const timing = { warmUpSeconds: WARM_UP_SECONDS, seconds: plan.seconds / ROUNDS };
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) rounds.get(name)!.push(await rows[name](timing));
  }
  const measured = names.map((name) => [name, measuredOver(rounds.get(name)!)] as const);
  for (const [name, row] of measured) plan.onRow(name, row);
  return Object.fromEntries(measured) as Record<Name, Measured>;
}

/** The data directories of equal stores. */
function makeStores(
  { directory, storeEvents }: Plan,
): Readonly<Record<"server" | "editionB" | "editionC" | "ungrouped" | "insertLoop", string>> {
  const server = `${directory}/server`;
  fillStore(server, storeEvents);
  const copy = (name: string): string => {
    const dataDir = `${directory}/${name}`;
    Deno.mkdirSync(dataDir);
    Deno.copyFileSync(storePaths(server).database, storePaths(dataDir).database);
    return dataDir;
  };
  return {
    server,
    editionB: copy("edition_b"),
    editionC: copy("edition_c"),
    ungrouped: copy("ungrouped"),
    insertLoop: copy("insert_loop"),
  };
}

async function startServer(
  { servers, directory, unix }: Plan,
  module: URL,
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const home = Deno.makeTempDirSync({ dir: directory });
  const server = servers.use(new ChildProcess(module, home, unix, dataDir, settings));
  await server.listening();
  return server;
}
