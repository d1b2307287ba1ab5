import { delay } from "../../src/async/delay.ts";
import type { ChildProcess } from "../child_process.ts";
import { type Address, Connection, requestBytes } from "../connection.ts";
import { fillStore } from "../fill_store.ts";
import { machineFacts, machineText } from "../machine.ts";
import { measuredOver, type Round } from "../measure.ts";
import { MANY_WRITERS, READ_SEED, SERVER, startServer } from "../measure_all.ts";
import { rowsTable } from "../plots/tables.ts";
import { rssBytesOf } from "../process_usage.ts";
import { SampleEvents } from "../sample_events.ts";
import { waitInVain, withReaders } from "../workloads/writes_with_readers.ts";
import { delivery } from "../workloads/delivery.ts";
import { oneEvent } from "../workloads/one_event.ts";
import { readByArticle } from "../workloads/selective_read.ts";
import { median, print, table } from "./report.ts";

/*
 * The cost of readers that wait, and the time until they have their event: the rows of the benchmark about them,
 * and the memory of 1,000 of them. Prints tables in markdown.
 *
 *   deno task campaign:waiting [seconds of each round]
 */

const EVENTS = 200_000;
const WRITERS = 64;
const READERS = 1000;
const MEMORY_ROUNDS = 3;
const REST_SECONDS = 2;
/** Long enough for the heap to reach its full size. */
const WRITING_SECONDS = 12;
const RATE_ROUNDS = 7;
/** Long enough for the garbage and the compilation that follow when readers are opened. */
const WARM_UP_SECONDS = 1.5;
const seconds = Number(Deno.args[0] ?? 4);

type Servers = Parameters<typeof startServer>[0];

/** Resident memory of a server, in bytes. */
interface Memory {
  readonly atRest: number;
  readonly withWriters: number;
}

type Clients = (address: Address) => Promise<AsyncDisposable>;

/** The clients that are connected while memory is measured. */
const CONNECTED: Readonly<Record<string, Clients>> = {
  "nobody": () => Promise.resolve(new AsyncDisposableStack()),
  [`${READERS} idle connections`]: idleConnections,
  [`${READERS} waiting readers`]: (address) => waitInVain(address, READERS),
};

/** Connections that had one answer each. */
async function idleConnections(address: Address): Promise<AsyncDisposable> {
  const connections = new AsyncDisposableStack();
  for (let i = 0; i < READERS; i++) {
    const connection = await Connection.open(address);
    connections.defer(() => connection[Symbol.dispose]());
    await connection.request(requestBytes("QUERY", "/events", '{"query":"*","limit":1}'));
  }
  return connections;
}

/** Memory of a server that has served some readers and writers before, since those raise it. */
async function memoryWith(servers: Servers, connect: Clients): Promise<Memory> {
  await using server = await startServer(servers, SERVER, `${servers.directory}/data`, MANY_WRITERS);
  const { address, pid } = server;
  const sample = new SampleEvents(EVENTS, READ_SEED);
  await readByArticle(address, WRITERS, sample, { warmUpSeconds: 0, seconds: REST_SECONDS });
  await oneEvent(address, WRITERS, { warmUpSeconds: 0, seconds: REST_SECONDS });
  await using _clients = await connect(address);
  await delay(REST_SECONDS * 1000);
  const atRest = rssBytesOf(pid) ?? NaN;
  await oneEvent(address, WRITERS, { warmUpSeconds: 0, seconds: WRITING_SECONDS });
  return { atRest, withWriters: rssBytesOf(pid) ?? NaN };
}

async function compareMemory(servers: Servers): Promise<void> {
  const columns = Object.values(CONNECTED).map((connect) => ({ connect, rounds: [] as Memory[] }));
  for (let round = 0; round < MEMORY_ROUNDS; round++) {
    for (const { connect, rounds } of columns) rounds.push(await memoryWith(servers, connect));
  }
  const row = (title: string, of: keyof Memory): string[] => [
    title,
    ...columns.map(({ rounds }) => (median(rounds.map((memory) => memory[of])) / 1e6).toFixed(0)),
  ];
  const rows = [row("idle", "atRest"), row(`beside ${WRITERS} writers`, "withWriters")];
  print(`${table(["RSS, MB", ...Object.keys(CONNECTED)], rows)}\n`);
}

/** Measures writers without readers and with them, in alternation, so that both see the same changes of the machine. */
async function compareWriters({ address, pid }: ChildProcess): Promise<void> {
  const timing = { warmUpSeconds: WARM_UP_SECONDS, seconds, server: pid };
  const without: Round[] = [];
  const beside: Round[] = [];
  for (let round = 0; round < RATE_ROUNDS; round++) {
    without.push(await oneEvent(address, WRITERS, timing));
    beside.push(await withReaders(address, WRITERS, READERS, timing));
  }
  print(rowsTable({ oneEvent64: measuredOver(without), withReaders: measuredOver(beside) }));
  const shares = without.map(({ events }, i) => beside[i]!.events / events);
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map((share) => share.toFixed(2));
  print(`\nBeside ${READERS} readers: ${median(shares).toFixed(2)} of the rate without `);
  print(`(median of ${RATE_ROUNDS} rounds; ${least} to ${most})\n\n`);
}

async function measureDelivery({ address, pid }: ChildProcess): Promise<void> {
  const timing = { warmUpSeconds: WARM_UP_SECONDS, seconds, server: pid };
  const rounds: Round[] = [];
  while (rounds.length < RATE_ROUNDS) rounds.push(await delivery(address, 4, 100, timing));
  print(rowsTable({ delivery: measuredOver(rounds) }));
}

await using servers = new AsyncDisposableStack();
const directory = Deno.makeTempDirSync({ prefix: "eventstore_campaign_" });
servers.defer(() => Deno.remove(directory, { recursive: true }));
print(`${machineText(await machineFacts(directory))}\n\n`);
fillStore(`${directory}/data`, EVENTS);
const plan = { directory, unix: false, servers };
await compareMemory(plan);
const server = await startServer(plan, SERVER, `${directory}/data`, MANY_WRITERS);
await compareWriters(server);
await measureDelivery(server);
