import { SampleEvents } from "../sample_events.ts";
import { openWriter, storeWrite, writeNow } from "../fill_store.ts";
import { LineTree } from "../../src/backup/history/line_tree.ts";
import { Source } from "../../src/backup/source/source.ts";
import type { NewEvent } from "../../src/model/event.ts";
import { eventTerms } from "../../src/store/core/index_terms.ts";
import { prepareEvent } from "../../src/store/core/prepare_event.ts";
import { openForWriting } from "../../src/store/sqlite/connection/connection.ts";
import { appendEvents } from "../../src/store/sqlite/tables/events.ts";
import { initStore } from "../../src/store/sqlite/data_directory/create_database.ts";
import { eventBody, eventLine } from "../../src/wire/event.ts";
import { parseEventLine } from "../../src/wire/event_line.ts";
import { BackupDirectories } from "../../tests/backup/run_backup.ts";
import { startServer } from "../../tests/support/server_process.ts";
import { median, print, table } from "./report.ts";

/*
 * Compares the backup program with a plain scan: the same client reads the same pages, counts the lines and drops
 * them. Then measures the cost of each step of a copy by itself. Prints tables in markdown.
 *
 *   deno task campaign:backup [events]
 */

const EVENTS = Number(Deno.args[0] ?? 1_000_000);
const EVENTS_PER_TURN = 5000;
const PAGE_LIMIT = 1000;
const ROUNDS = 3;
const STEP_EVENTS = 100_000;

interface Workload {
  readonly name: string;
  events(count: number): NewEvent[];
}

let orders = 0;
const sample = new SampleEvents(EVENTS, 1);
const WORKLOADS: readonly Workload[] = [
  {
    name: "small: a type, one tag, 2 bytes",
    events: (count) =>
      Array.from({ length: count }, () => ({
        type: "OrderPlaced",
        identifiers: [{ name: "order", value: `order-${orders++}` }],
        metadata: [],
        payload: "{}",
      })),
  },
  { name: "sample: a type, four tags, 120 bytes", events: (count) => sample.events(count) },
];

function fill(dataDir: string, workload: Workload): void {
  const writer = openWriter(initStore(dataDir).path);
  for (let left = EVENTS; left > 0; left -= EVENTS_PER_TURN) {
    writeNow(writer, storeWrite(workload.events(Math.min(left, EVENTS_PER_TURN)), Date.now() * 1000));
  }
  writer.close();
}

/** @returns seconds */
async function scan(url: string): Promise<number> {
  const startedAt = performance.now();
  const settings = {
    source: { transport: "tcp", url },
    sourceToken: undefined,
    dataDir: "",
    pageLimit: PAGE_LIMIT,
  };
  using source = new Source(
    settings as ConstructorParameters<typeof Source>[0],
    new AbortController().signal,
  );
  await source.identify();
  let lines = 0;
  for (let hasMore: boolean | undefined = true; hasMore;) {
    for await (const part of source.page(lines)) {
      lines += part.lines.length;
      hasMore = part.hasMore;
    }
  }
  if (lines !== EVENTS) throw new Error(`${lines} lines`);
  return (performance.now() - startedAt) / 1000;
}

/** @returns seconds, start of the program included */
async function copy(place: BackupDirectories): Promise<number> {
  const startedAt = performance.now();
  const { code, stderr } = await place.run({
    env: { SERVICE_BACKUP_PAGE_LIMIT: String(PAGE_LIMIT) },
    seconds: 600,
  });
  if (code !== 0) throw new Error(stderr);
  return (performance.now() - startedAt) / 1000;
}

async function compare(workload: Workload): Promise<string[]> {
  const dataDir = await Deno.makeTempDir({ prefix: "eventstore_campaign_" });
  fill(dataDir, workload);
  const scans: number[] = [];
  const copies: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await using server = await startServer({ env: { SERVICE_DATA_DIR: dataDir } });
    using place = new BackupDirectories(server.address);
    const url = place.source["SERVICE_BACKUP_SOURCE_URL"]!;
    await scan(url);
    scans.push(await scan(url));
    copies.push(await copy(place));
  }
  await Deno.remove(dataDir, { recursive: true });
  const [scanSeconds, copySeconds] = [median(scans), median(copies)];
  const figures = [scanSeconds, copySeconds].map((seconds) => seconds.toFixed(1));
  return [workload.name, ...figures, (copySeconds / scanSeconds).toFixed(1)];
}

/** Microseconds per event of each step by itself, in one thread. */
async function steps(workload: Workload): Promise<string[]> {
  const lines = workload.events(STEP_EVENTS).map((event, i) =>
    eventLine({ sequence: i + 1, timeMicros: 1.7e15 + i, body: eventBody(event) })
  );
  const micros = (work: () => void): number => {
    const startedAt = performance.now();
    work();
    return (performance.now() - startedAt) * 1000 / STEP_EVENTS;
  };
  const parse = (): ReturnType<typeof parseEventLine>[] =>
    lines.map((line) => parseEventLine(line.slice(0, -1)));
  const parsed = parse();
  const check = micros(parse);
  const tokens = micros(() => parsed.forEach(({ event }) => eventTerms(event)));
  const tree = new LineTree();
  const hashed = micros(() => lines.forEach((line) => tree.add(line)));
  const prepared = parsed.map(({ event, timeMicros, body }) => prepareEvent(event, timeMicros, body));
  const directory = await Deno.makeTempDir({ prefix: "eventstore_campaign_" });
  const db = openForWriting(initStore(directory).path);
  const inserted = micros(() => {
    for (let head = 0; head < STEP_EVENTS; head += PAGE_LIMIT) {
      db.run("BEGIN IMMEDIATE");
      appendEvents(db, head, prepared.slice(head, head + PAGE_LIMIT));
      db.run("COMMIT");
    }
    db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  });
  db.close();
  await Deno.remove(directory, { recursive: true });
  return [workload.name, ...[check, tokens, hashed, inserted].map((value) => value.toFixed(1))];
}

const rows: string[][] = [];
for (const workload of WORKLOADS) rows.push(await compare(workload));
print(table([`${EVENTS} events`, "plain scan, s", "backup, s", "ratio"], rows));
print("\n");
const stepRows: string[][] = [];
for (const workload of WORKLOADS) stepRows.push(await steps(workload));
print(table(["us per event", "check the line", "index tokens", "tree", "insert"], stepRows));
