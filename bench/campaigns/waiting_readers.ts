import type { ChildProcess } from "../child_process.ts";
import { fillStore } from "../fill_store.ts";
import { machineFacts, machineText } from "../machine.ts";
import { measuredOver, type Round } from "../measure.ts";
import { MANY_WRITERS, SERVER, startServer } from "../measure_all.ts";
import { rowsTable } from "../plots/tables.ts";
import { rssBytesOf } from "../process_usage.ts";
import { besideReaders, waitInVain } from "../workloads/beside_readers.ts";
import { delivery } from "../workloads/delivery.ts";
import { oneEvent } from "../workloads/one_event.ts";
import { median, print, table } from "./report.ts";

/*
 * What readers that wait cost, and how soon they have what they wait for: the rows of the benchmark about them, and
 * the memory that 1,000 of them take. Prints tables in markdown.
 *
 *   deno task campaign:waiting [seconds of each round]
 */

const EVENTS = 200_000;
const WRITERS = 64;
const READERS = 1000;
const MEMORY_ROUNDS = 3;
const REST_SECONDS = 2;
const RATE_ROUNDS = 7;
/** What opening the readers leaves behind, garbage and code to compile, is done with by then. */
const WARM_UP_SECONDS = 1.5;
/** The memory for new objects is bounded as by `deno task start`. */
const SETTINGS = { ...MANY_WRITERS, DENO_V8_FLAGS: "--max-semi-space-size=16" };
const seconds = Number(Deno.args[0] ?? 4);

type Servers = Parameters<typeof startServer>[0];

/** Resident memory of one server, in bytes, that has its readers only in the second half of its life. */
interface Memory {
  readonly writing: number;
  readonly resting: number;
  readonly restingWithReaders: number;
  readonly writingWithReaders: number;
}

async function memoryOfOne(servers: Servers): Promise<Memory> {
  await using server = await startServer(servers, SERVER, `${servers.directory}/data`, SETTINGS);
  const rss = (): number => rssBytesOf(server.pid) ?? NaN;
  const write = async (): Promise<number> => {
    await oneEvent(server.address, WRITERS, { warmUpSeconds: 0, seconds: REST_SECONDS });
    return rss();
  };
  // Once for the memory that any work takes for good.
  await write();
  const writing = await write();
  const resting = await rest(rss);
  await using _readers = await waitInVain(server.address, READERS);
  const restingWithReaders = await rest(rss);
  return { writing, resting, restingWithReaders, writingWithReaders: await write() };
}

async function rest(rss: () => number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, REST_SECONDS * 1000));
  return rss();
}

function memoryTable(rounds: readonly Memory[]): string {
  const row = (title: string, without: keyof Memory, beside: keyof Memory): string[] => {
    const megabytes = (of: (memory: Memory) => number): string => (median(rounds.map(of)) / 1e6).toFixed(0);
    return [
      title,
      megabytes((memory) => memory[without]),
      megabytes((memory) => memory[beside]),
      megabytes((memory) => memory[beside] - memory[without]),
    ];
  };
  return table(["RSS, MB", "without", `${READERS} waiting`, "more"], [
    row("at rest", "resting", "restingWithReaders"),
    row(`beside ${WRITERS} writers`, "writing", "writingWithReaders"),
  ]);
}

/** Writers without and beside readers in turn, so that both see the machine in its good and its bad moments. */
async function compareWriters({ address, pid }: ChildProcess): Promise<void> {
  const timing = { warmUpSeconds: WARM_UP_SECONDS, seconds, server: pid };
  const without: Round[] = [];
  const beside: Round[] = [];
  for (let round = 0; round < RATE_ROUNDS; round++) {
    without.push(await oneEvent(address, WRITERS, timing));
    beside.push(await besideReaders(address, WRITERS, READERS, timing));
  }
  print(rowsTable({ oneEvent64: measuredOver(without), besideReaders: measuredOver(beside) }));
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
const memory: Memory[] = [];
while (memory.length < MEMORY_ROUNDS) memory.push(await memoryOfOne(plan));
print(`${memoryTable(memory)}\n`);
const server = await startServer(plan, SERVER, `${directory}/data`, SETTINGS);
await compareWriters(server);
await measureDelivery(server);
