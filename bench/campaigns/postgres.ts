import { parseArgs } from "node:util";
import type { ChildProcess } from "../child_process.ts";
import { Histogram } from "../histogram.ts";
import { machineFacts, machineText } from "../machine.ts";
import { MANY_WRITERS, READ_SEED, SERVER, startServer, WRITE_SEED } from "../measure_all.ts";
import type { Round, Timing } from "../measure.ts";
import { copyDatabase, databaseSettings, databaseText, startDatabase } from "../postgres/database.ts";
import { measureRows, on, type Rows } from "../rounds.ts";
import { SampleEvents } from "../sample_events.ts";
import { makeStores } from "../stores.ts";
import { bulk } from "../workloads/bulk.ts";
import { fullScan } from "../workloads/full_scan.ts";
import { oneEvent } from "../workloads/one_event.ts";
import { readByArticle } from "../workloads/selective_read.ts";
import { print, table } from "./report.ts";

/*
 * Compares the store on PostgreSQL with the store in a file, and several servers of edition A on one database with
 * one. The database runs on the same machine as the server. Rows that are compared alternate.
 *
 *   deno task campaign:postgres [--seconds 9] [--events 200000] [--servers 3] [--dir path]
 */

const CLIENTS = 64;

const { values: flags } = parseArgs({
  args: Deno.args,
  options: {
    seconds: { type: "string", default: "9" },
    events: { type: "string", default: "200000" },
    servers: { type: "string", default: "3" },
    dir: { type: "string" },
  },
});
const [seconds, storeEvents, serverCount] = [flags.seconds, flags.events, flags.servers].map(Number) as [
  number,
  number,
  number,
];
if (![seconds, storeEvents, serverCount].every((count) => count >= 1)) {
  throw new TypeError("--seconds, --events and --servers are numbers above 0");
}

await using leftovers = new AsyncDisposableStack();
const place = flags.dir === undefined ? {} : { dir: flags.dir };
const directory = Deno.makeTempDirSync({ ...place, prefix: "eventstore_campaign_" });
leftovers.defer(() => Deno.removeSync(directory, { recursive: true }));
const database = leftovers.use(await startDatabase(flags.dir));
print(`${machineText(await machineFacts(directory))}\n${await databaseText(database)}\n`);
print(`${storeEvents.toLocaleString("en")} events in the store, ${seconds} s a row\n\n`);

const inFiles = await makeStores({ directory: below("files"), database: undefined, storeEvents });
const inDatabase = await makeStores({ directory: below("database"), database, storeEvents });
await copyDatabase(database, "filled", "shared");
const servers = leftovers.use(new AsyncDisposableStack());
const start = (dataDir: string, settings: Readonly<Record<string, string>>): Promise<ChildProcess> =>
  startServer({ directory, unix: false, servers }, SERVER, dataDir, { ...settings, ...MANY_WRITERS });
const sqlite = await start(inFiles.server.dataDir, inFiles.server.settings);
const postgres = await start(inDatabase.server.dataDir, inDatabase.server.settings);

const reads = await measure({
  "scan in pages of 10,000, SQLite": on(sqlite, (address, timing) => fullScan(address, storeEvents, timing)),
  "scan in pages of 10,000, PostgreSQL": on(
    postgres,
    (address, timing) => fullScan(address, storeEvents, timing),
  ),
  "10 events of a tag, 8 clients, SQLite": byArticle(sqlite),
  "10 events of a tag, 8 clients, PostgreSQL": byArticle(postgres),
});
const writes = await measure({
  "1 event on a condition, 64 clients, SQLite": on(sqlite, writers),
  "1 event on a condition, 64 clients, PostgreSQL": on(postgres, writers),
  "100 events, 16 clients, SQLite": bulkOn(sqlite),
  "100 events, 16 clients, PostgreSQL": bulkOn(postgres),
});
const together = serverCount === 1 ? undefined : await measureTogether();

const [scanInFile, scanInDatabase] = ratesOf(reads);
const [oneInFile, oneInDatabase, , bulkInDatabase] = ratesOf(writes);
const aims: [title: string, value: number, aim: number][] = [
  ["1 event on a condition: PostgreSQL / SQLite", oneInDatabase! / oneInFile!, 0.6],
  ["100 events on PostgreSQL, events/s", bulkInDatabase!, 15_000],
  ["scan: PostgreSQL / SQLite", scanInDatabase! / scanInFile!, 0.5],
];
if (together !== undefined) {
  const [one, several, , oneWithAll, severalWithAll] = together;
  aims.push(
    [`${serverCount} servers / one, ${CLIENTS} clients`, several! / one!, 0.9],
    [`${serverCount} servers / one, ${CLIENTS * serverCount} clients`, severalWithAll! / oneWithAll!, 0.9],
  );
}
print(table(
  ["", "", "aim", ""],
  aims.map(([title, value, aim]) => [title, numberText(value), `>= ${aim}`, value >= aim ? "met" : "missed"]),
));

/**
 * Compares clients on one server with clients on several servers of one database: the same number in total, and the
 * same number on each server. A group cannot have more writes than its server has clients. So one server with only
 * its share of the clients shows the cost of smaller groups alone.
 */
async function measureTogether(): Promise<number[]> {
  const settings = databaseSettings(database, "shared");
  const several: ChildProcess[] = [];
  while (several.length < serverCount) several.push(await start(below(`shared_${several.length}`), settings));
  const first = several.slice(0, 1);
  const [share, all] = [Math.floor(CLIENTS / serverCount), CLIENTS * serverCount];
  const row = (servers: readonly ChildProcess[], clients: number): Rows<string> => ({
    [`1 event on a condition, ${clients} clients on ${servers.length} of ${serverCount} servers`]: (timing) =>
      writersOn(servers, clients, timing),
  });
  return ratesOf(
    await measure({
      ...row(first, CLIENTS),
      ...row(several, CLIENTS),
      ...row(first, share),
      ...row(first, all),
      ...row(several, all),
    }),
  );
}

async function writersOn(servers: readonly ChildProcess[], clients: number, timing: Timing): Promise<Round> {
  const shares = servers.map((_, i) => Math.floor((clients + i) / servers.length));
  const rounds = await Promise.all(
    servers.map(({ address }, i) => oneEvent(address, shares[i]!, timing)),
  );
  const latencies = new Histogram();
  for (const round of rounds) latencies.addAll(round.latencies);
  const events = rounds.reduce((sum, round) => sum + round.events, 0);
  return { seconds: timing.seconds, events, latencies };
}

function writers(address: ChildProcess["address"], timing: Timing): Promise<Round> {
  return oneEvent(address, CLIENTS, timing);
}

function bulkOn(server: ChildProcess): (timing: Timing) => Promise<Round> {
  const sample = new SampleEvents(storeEvents, WRITE_SEED);
  return on(server, (address, timing) => bulk(address, 16, sample, timing));
}

function byArticle(server: ChildProcess): (timing: Timing) => Promise<Round> {
  const sample = new SampleEvents(storeEvents, READ_SEED);
  return on(server, (address, timing) => readByArticle(address, 8, sample, timing));
}

/** Measures rows in alternation and prints their table. @returns events per second of each */
async function measure(rows: Rows<string>): Promise<ReadonlyMap<string, number>> {
  const lines: string[][] = [];
  const measured = await measureRows({
    seconds,
    onRow(name, { eventsPerSecond, p50Milliseconds, p99Milliseconds, serverMicroseconds }) {
      const numbers = [eventsPerSecond, p50Milliseconds, p99Milliseconds, serverMicroseconds];
      lines.push([name, ...numbers.map((number) => number === undefined ? "" : numberText(number))]);
    },
  }, rows);
  print(`${table(["", "events/s", "p50 ms", "p99 ms", "server, us CPU"], lines)}\n`);
  return new Map(Object.entries(measured).map(([name, { eventsPerSecond }]) => [name, eventsPerSecond]));
}

function ratesOf(measured: ReadonlyMap<string, number>): number[] {
  return [...measured.values()];
}

function numberText(value: number): string {
  return value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString("en");
}

function below(name: string): string {
  const path = `${directory}/${name}`;
  Deno.mkdirSync(path);
  return path;
}
