import { delay } from "../../src/async/delay.ts";
import { storePaths } from "../../src/store/sqlite/data_directory/database_file.ts";
import { print } from "../campaigns/report.ts";
import type { ChildProcess } from "../child_process.ts";
import { fillInSteps, fillStore } from "../fill_store.ts";
import type { Measured } from "../measure.ts";
import {
  MANY_WRITERS,
  type Plan,
  READ_SEED,
  SERVER,
  spawnServer,
  startServer,
  WRITE_SEED,
} from "../measure_all.ts";
import { headText, type RowName, rowText, startText } from "../report.ts";
import { measureRows, on, type Rows } from "../rounds.ts";
import { SampleEvents } from "../sample_events.ts";
import { measureStart } from "../start.ts";
import { bulk } from "../workloads/bulk.ts";
import { conditionCheck } from "../workloads/condition_check.ts";
import { fullScan } from "../workloads/full_scan.ts";
import { oneEvent } from "../workloads/one_event.ts";
import { readByArticle } from "../workloads/selective_read.ts";
import type { GrowthRows, Size } from "./report.ts";

/** The place and settings of the servers for one size. */
export type Place = Pick<Plan, "directory" | "unix" | "servers" | "seconds">;

type GrowthSteps = { readonly [Name in RowName]?: Rows<Name>[Name] };

interface Compared {
  readonly rows: GrowthRows;
  readonly reference: GrowthRows;
}

/** The prefix of the reference's rows while they are measured. */
const REFERENCE = "reference ";

const NOTHING: Compared = { rows: {}, reference: {} };

/** The size of the reference for reads, since an empty store has no events to read. */
const SMALL_STORE_EVENTS = 10_000;

/** Fills a store with this many events and measures it, in an empty directory. */
export async function measureSize(place: Place, events: number): Promise<Size> {
  const dataDir = `${place.directory}/store`;
  const startedAt = performance.now();
  // Pauses from time to time, so that Ctrl-C has an effect.
  for (const _ of fillInSteps(dataDir, events)) await delay(0);
  const fillSeconds = (performance.now() - startedAt) / 1000;
  const databaseBytes = (await Deno.stat(storePaths(dataDir).database)).size;
  const start = await measureStart(() => place.servers.use(spawnServer(place, SERVER, dataDir)));
  print(`filled in ${fillSeconds.toFixed(0)} s; ${startText(start)}${headText}`);

  const reads = events === 0 ? NOTHING : await measureReads(place, dataDir, events);
  const writes = await measureWrites(place, dataDir, events);
  return {
    events,
    fillSeconds,
    databaseBytes,
    start,
    rows: { ...reads.rows, ...writes.rows },
    reference: { ...reads.reference, ...writes.reference },
  };
}

async function measureReads(place: Place, dataDir: string, events: number): Promise<Compared> {
  const smallDir = `${place.directory}/small`;
  fillStore(smallDir, SMALL_STORE_EVENTS);
  await using server = await startServer(place, SERVER, dataDir);
  await using small = await startServer(place, SERVER, smallDir);
  const sample = new SampleEvents(events, READ_SEED);
  const smallSample = new SampleEvents(SMALL_STORE_EVENTS, READ_SEED);
  const reads = await compare(place, smallReadRows(server, sample), smallReadRows(small, smallSample));
  // Scans come later, since they leave the server with much more memory than the reads before need.
  const scans = await compare(place, scanRows(server, events), scanRows(small, SMALL_STORE_EVENTS));
  // Checks come last, since a write succeeds if its article has no events.
  const checks = await compare(place, checkRows(server, sample), checkRows(small, smallSample));
  return {
    rows: { ...reads.rows, ...scans.rows, ...checks.rows },
    reference: { ...reads.reference, ...scans.reference, ...checks.reference },
  };
}

async function measureWrites(place: Place, dataDir: string, events: number): Promise<Compared> {
  const server = await startServer(place, SERVER, dataDir, MANY_WRITERS);
  // An empty store is its own reference.
  const empty = events === 0 ? undefined : await startEmpty(place);
  // Rows that add few events come first, so that the empty store is still small.
  const small = await compare(place, smallWriteRows(server), empty && smallWriteRows(empty));
  const sample = new SampleEvents(Math.max(events, 1_000_000), WRITE_SEED);
  const bulk = await compare(place, bulkRows(server, sample), empty && bulkRows(empty, sample));
  return { rows: { ...small.rows, ...bulk.rows }, reference: { ...small.reference, ...bulk.reference } };
}

async function startEmpty(place: Place): Promise<ChildProcess> {
  const dataDir = `${place.directory}/empty`;
  fillStore(dataDir, 0);
  return await startServer(place, SERVER, dataDir, MANY_WRITERS);
}

const smallReadRows = (server: ChildProcess, sample: SampleEvents): GrowthSteps => ({
  readByArticle1: on(server, (address, timing) => readByArticle(address, 1, sample, timing)),
  readByArticle8: on(server, (address, timing) => readByArticle(address, 8, sample, timing)),
  readByArticle64: on(server, (address, timing) => readByArticle(address, 64, sample, timing)),
});

const checkRows = (server: ChildProcess, sample: SampleEvents): GrowthSteps => ({
  conditionCheck: on(server, (address, timing) => conditionCheck(address, sample, timing)),
});

const scanRows = (server: ChildProcess, events: number): GrowthSteps => ({
  fullScan: on(server, (address, timing) => fullScan(address, events, timing)),
});

const smallWriteRows = (server: ChildProcess): GrowthSteps => ({
  oneEvent1: on(server, (address, timing) => oneEvent(address, 1, timing)),
  oneEvent8: on(server, (address, timing) => oneEvent(address, 8, timing)),
  oneEvent64: on(server, (address, timing) => oneEvent(address, 64, timing)),
  oneEvent256: on(server, (address, timing) => oneEvent(address, 256, timing)),
});

const bulkRows = (server: ChildProcess, sample: SampleEvents): GrowthSteps => ({
  bulk: on(server, (address, timing) => bulk(address, 16, sample, timing)),
  preload: on(server, (address, timing) => bulk(address, 4, sample, timing)),
});

/** Measures rows of a store, each in alternation with the same row of the reference. */
async function compare(
  place: Place,
  rows: GrowthSteps,
  reference: GrowthSteps | undefined,
): Promise<Compared> {
  const names = Object.keys(rows) as RowName[];
  const pairs = names.flatMap((name) => [[name, rows[name]], [REFERENCE + name, reference?.[name]]] as const);
  const measured = await measureRows(
    { seconds: place.seconds, onRow },
    Object.fromEntries(pairs.filter(([, row]) => row !== undefined)) as Rows<string>,
  );
  const pick = (prefix: string): GrowthRows =>
    Object.fromEntries(names.flatMap((name) => {
      const row = measured[prefix + name];
      return row === undefined ? [] : [[name, row]];
    }));
  return { rows: pick(""), reference: pick(REFERENCE) };
}

function onRow(name: string, measured: Measured): void {
  const isReference = name.startsWith(REFERENCE);
  const text = rowText((isReference ? name.slice(REFERENCE.length) : name) as RowName, measured);
  print(isReference ? text.replace(/^.{43}/, "  the same on the reference".padEnd(43)) : text);
}
