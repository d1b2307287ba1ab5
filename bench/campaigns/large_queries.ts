import type { NewEvent } from "../../src/model/event.ts";
import type { QueryItem } from "../../src/model/query.ts";
import type { Tag } from "../../src/model/tag.ts";
import { openForReading } from "../../src/store/sqlite/connection/connection.ts";
import type { Database } from "../../src/store/sqlite/connection/database.ts";
import { initStore } from "../../src/store/sqlite/data_directory/create_database.ts";
import { firstMatch } from "../../src/store/sqlite/reading/find_events.ts";
import { readChunk } from "../../src/store/sqlite/reading/read_chunk.ts";
import { openWriter, storeWrite, writeNow } from "../fill_store.ts";
import { SampleEvents } from "../sample_events.ts";
import { print, table } from "./report.ts";

/*
 * The cost of the largest queries that a client may send, as reads in chunks and as conditions in one go. They run
 * on a store of sample events, and on one in which every event has the same tags. Prints tables in markdown.
 *
 *   deno task campaign:queries [events [events with common tags]]
 */

const EVENTS = Number(Deno.args[0] ?? 1_000_000);
const COMMON_EVENTS = Number(Deno.args[1] ?? 200_000);
const EVENTS_PER_TURN = 5000;
const ROUNDS = 3;

type NamedQuery = readonly [name: string, items: readonly QueryItem[]];

function item(types: readonly string[], identifiers: readonly Tag[] = []): QueryItem {
  return { types, identifiers, metadata: [] };
}

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

const tag = (name: string, value: string): Tag => ({ name, value });

function sampleQueries(sample: SampleEvents): NamedQuery[] {
  const customer = (): Tag => tag("customer", sample.customer());
  const order = (): Tag => tag("order", sample.order());
  const absent = (i: number, count: number): string[] => times(count, (j) => `absent ${i} ${j}`);
  const twice = [customer(), customer()] as const;
  return [
    ["one order", [item([], [order()])]],
    ["a type of a customer", [item([sample.type()], [customer()])]],
    ["100 items: an order each", times(100, () => item([], [order()]))],
    ["100 items: 100 absent types each", times(100, (i) => item(absent(i, 100)))],
    ["100 items: 99 absent types of a customer each", times(100, (i) => item(absent(i, 99), [customer()]))],
    [
      "100 items: 60 absent types and 20 absent tags each",
      times(100, (i) => item(absent(i, 60), times(20, (j) => tag("order", `absent ${i} ${j}`)))),
    ],
    [
      "100 items: 99 absent types and a common one each",
      times(100, (i) => item([...absent(i, 99), sample.type()])),
    ],
    [
      "99 items of two customers, repeated unequally often",
      times(99, (i) => item([], [...times(i + 1, () => twice[0]), ...times(99 - i, () => twice[1])])),
    ],
  ];
}

/** All tags are common, but no event has an even and an odd `n0`. */
function commonEvent(i: number): NewEvent {
  const identifiers = times(20, (n) => tag(`n${n}`, n < 2 ? String((i + n) % 2) : "v"));
  return { type: `type ${i % 2}`, identifiers, metadata: [], payload: "x".repeat(50) };
}

function commonQueries(): NamedQuery[] {
  const impossible = [tag("n0", "0"), tag("n1", "0")];
  const common = times(18, (n) => tag(`n${n + 2}`, "v"));
  return [
    ["two tags that never meet", [item([], impossible)]],
    ["both types, and four tags that never meet", [
      item(["type 0", "type 1"], [...impossible, ...common.slice(0, 2)]),
    ]],
    [
      "100 items: 18 common tags each that never meet",
      times(
        100,
        (i) => item([], [...impossible, ...common.filter((_, n) => n !== i % 18 && n !== (i * 7 + 3) % 18)]),
      ),
    ],
    ["100 items: 100 absent types each", times(100, (i) => item(times(100, (j) => `absent ${i} ${j}`)))],
  ];
}

interface Page {
  readonly events: number;
  readonly chunks: number;
  readonly longestMilliseconds: number;
  readonly milliseconds: number;
}

/** Reads a whole page. Between the chunks, everything is copied as between threads. */
function readPage(db: Database, query: readonly QueryItem[]): Page {
  const started = performance.now();
  let request = {
    query,
    afterSequence: 0,
    head: undefined as number | undefined,
    limit: Infinity,
    kept: undefined as unknown,
  };
  let [events, chunks, longestMilliseconds] = [0, 0, 0];
  while (true) {
    const begun = performance.now();
    const chunk = structuredClone(readChunk(db, structuredClone(request), false));
    longestMilliseconds = Math.max(longestMilliseconds, performance.now() - begun);
    events += chunk.events;
    chunks++;
    if (chunk.end !== false) {
      return { events, chunks, longestMilliseconds, milliseconds: performance.now() - started };
    }
    request = { ...request, afterSequence: chunk.last, head: chunk.head, kept: chunk.continuation };
  }
}

function measured(db: Database, events: number, [name, items]: NamedQuery): string[] {
  const pages = times(ROUNDS, () => readPage(db, items)).toSorted((a, b) => a.milliseconds - b.milliseconds);
  const conditions = times(ROUNDS, () => {
    const started = performance.now();
    firstMatch(db, items, { after: 0, upTo: events });
    return performance.now() - started;
  });
  const { milliseconds, chunks, longestMilliseconds, events: found } = pages[0]!;
  const condition = Math.min(...conditions);
  return [
    name,
    String(found),
    milliseconds.toFixed(1),
    String(chunks),
    longestMilliseconds.toFixed(0),
    condition.toFixed(1),
  ];
}

function campaign(
  title: string,
  events: number,
  make: (i: number) => NewEvent,
  queries: readonly NamedQuery[],
): void {
  const dataDir = Deno.makeTempDirSync({ prefix: "eventstore_campaign_" });
  const { path } = initStore(dataDir);
  const writer = openWriter(path);
  for (let first = 0; first < events; first += EVENTS_PER_TURN) {
    const batch = times(Math.min(EVENTS_PER_TURN, events - first), (i) => make(first + i));
    writeNow(writer, storeWrite(batch, Date.now() * 1000));
  }
  writer.close();
  using db = openForReading(path);
  const head = [title, "found", "read, ms", "chunks", "longest, ms", "condition, ms"];
  print(`${table(head, queries.map((query) => measured(db, events, query)))}\n`);
  Deno.removeSync(dataDir, { recursive: true });
}

const sample = new SampleEvents(EVENTS, 1);
const events = EVENTS.toLocaleString("en");
campaign(`${events} sample events`, EVENTS, () => sample.event(), sampleQueries(new SampleEvents(EVENTS, 2)));
campaign(
  `${COMMON_EVENTS.toLocaleString("en")} events with the same 20 tags`,
  COMMON_EVENTS,
  commonEvent,
  commonQueries(),
);
