import type { NewEvent } from "../../../src/model/event.ts";
import { initStore } from "../../../src/store/sqlite/data_directory/create_database.ts";
import { Connection } from "../../../tests/support/connection.ts";
import { eventually, pause } from "../../../tests/support/eventually.ts";
import { bearer } from "../../../tests/support/tokens.ts";
import { openWriter, storeWrite, writeNow } from "../../fill_store.ts";
import { requestBytes } from "../../connection.ts";
import type { Arena, Attack, Found, LoadAttack } from "./attack.ts";

/*
 * Legal queries that cost as much as possible, as reads and in the conditions of a write. Also reads of clients
 * that disconnect.
 */

/** At least this many tries, for at least this long, so that a percentile has a meaning. */
const TRIES_MIN = 3;
const SECONDS = 5;
const EVENTS_PER_TURN = 5000;
const QUERY_ITEMS_MAX = 100;
const ITEM_VALUES_MAX = 100;

interface Tag {
  readonly name: string;
  readonly value: string;
}

/** Fills a store in which event number i has the tags `tagsOf(i)`. */
function filled(events: number, tagsOf: (event: number) => readonly Tag[]): (dataDir: string) => void {
  return (dataDir) => {
    const writer = openWriter(initStore(dataDir).path);
    for (let first = 0; first < events; first += EVENTS_PER_TURN) {
      const turn = Array.from({ length: Math.min(EVENTS_PER_TURN, events - first) }, (_, i): NewEvent => ({
        type: "t",
        identifiers: [...tagsOf(first + i), { name: "tenant", value: "attacker" }],
        metadata: [],
        payload: "",
      }));
      writeNow(writer, storeWrite(turn, Date.now() * 1000));
    }
    writer.close();
  };
}

const tag = (value: string): Tag => ({ name: "n", value });

/** Half of the events have one tag, half the other; no event has both. */
const halves = filled(10_000, (event) => [tag(event % 2 === 0 ? "a" : "b")]);

function repeatedValues(conditions: number): string {
  const items = Array.from({ length: QUERY_ITEMS_MAX - 1 }, (_, i) => ({
    identifiers: [...Array(i + 1).fill(tag("a")), ...Array(ITEM_VALUES_MAX - i - 1).fill(tag("b"))],
  }));
  return JSON.stringify({ conditions: Array(conditions).fill({ failIfEventsMatch: items }) });
}

function distinctTypes(conditions: number): string {
  let type = 0;
  const failIfEventsMatch = (): unknown[] =>
    Array.from({ length: QUERY_ITEMS_MAX }, () => ({
      types: Array.from({ length: ITEM_VALUES_MAX }, () => (type++ % 36 ** 3).toString(36).toUpperCase()),
    }));
  return JSON.stringify({
    conditions: Array.from({ length: conditions }, () => ({ failIfEventsMatch: failIfEventsMatch() })),
  });
}

const COMMON_TAGS = 20;

/** Each event lacks two tags that are next to each other, so that no event has the tags of `commonTags`. */
const common = filled(
  20_000,
  (event) =>
    Array.from({ length: COMMON_TAGS }, (_, i) => tag(`c${i}`)).filter((_, i) =>
      i !== event % COMMON_TAGS && i !== (event + 1) % COMMON_TAGS
    ),
);

/** 100 items, each with all tags except two that are not next to each other. */
function commonTags(): string {
  const items: unknown[] = [];
  for (let p = 0; p < COMMON_TAGS; p++) {
    for (let q = p + 2; q < COMMON_TAGS && items.length < QUERY_ITEMS_MAX; q++) {
      if (p === 0 && q === COMMON_TAGS - 1) continue;
      const identifiers = Array.from({ length: COMMON_TAGS }, (_, i) => tag(`c${i}`));
      items.push({ identifiers: identifiers.filter((_, i) => i !== p && i !== q) });
    }
  }
  return JSON.stringify({ query: items });
}

async function ask(arena: Arena, method: string, target: string, body: string): Promise<Found> {
  const seen = new Set<number>();
  const faults: string[] = [];
  const until = performance.now() + arena.seconds(SECONDS) * 1000;
  let [tries, slowest] = [0, 0];
  for (; tries < arena.count(TRIES_MIN) || performance.now() < until; tries++) {
    const from = performance.now();
    const { status } = await arena.measured(() => arena.server.client().request(method, target, { body }));
    slowest = Math.max(slowest, performance.now() - from);
    seen.add(status);
    // The server may also reject a query that asks for too much.
    if (status !== 200 && status !== 400) faults.push(`answered ${status}`);
  }
  return { tries, outcome: `${[...seen].join(", ")} after ${(slowest / 1000).toFixed(2)} s at most`, faults };
}

/** Heavy reads whose clients disconnect. Honest requests count only from then on. */
async function leave(arena: Arena, full: number): Promise<Found> {
  const request = requestBytes("QUERY", "/events", commonTags());
  const tries = arena.count(full);
  const connections = await Promise.all(Array.from({ length: tries }, async () => {
    const connection = await Connection.open(arena.server.address);
    await connection.send(request);
    return connection;
  }));
  await pause(200);
  for (const connection of connections) connection.close();
  const from = performance.now();
  const faults: string[] = [];
  await arena.measured(() =>
    eventually(async () => {
      const reply = await arena.server.client(bearer("operator")).request("GET", "/debug");
      const { read } = reply.json<{ read: { httpOpen: number } }>();
      // One or two reads of an honest client may be in progress.
      if (read.httpOpen > 2) throw new Error(`${read.httpOpen} reads are still open`);
    }, 120).catch((error) => faults.push((error as Error).message))
  );
  const gone = ((performance.now() - from) / 1000).toFixed(2);
  await arena.measured(() => pause(1000));
  return { tries, outcome: `their reads are over after ${gone} s`, faults };
}

function costly(name: string, fill: LoadAttack["fill"], target: string, body: () => string): Attack {
  const [method, path] = target.split(" ") as [string, string];
  return {
    name: `A ${name}`,
    edition: "A",
    transport: "tcp",
    ...fill === undefined ? {} : { fill },
    honest: ["health", "read", "write"],
    bounds: { p99: 100 },
    run: (arena) => ask(arena, method, path, body()),
  };
}

function leaving(full: number, transport: LoadAttack["transport"]): Attack {
  return {
    name: `A ${full} heavy reads whose clients leave (${transport})`,
    edition: "A",
    transport,
    fill: common,
    honest: ["health", "read", "write"],
    bounds: { p99: 100 },
    run: (arena) => leave(arena, full),
  };
}

export const queries: readonly Attack[] = [
  costly("1 condition of repeated values, 10,000 events", halves, "POST /write", () => repeatedValues(1)),
  costly("8 conditions of repeated values, 10,000 events", halves, "POST /write", () => repeatedValues(8)),
  costly("10 conditions of 10,000 types, 10,000 events", halves, "POST /write", () => distinctTypes(10)),
  costly("85 conditions of 10,000 types, 10,000 events", halves, "POST /write", () => distinctTypes(85)),
  costly("read of 100 items of 18 common tags, 20,000 events", common, "QUERY /events", commonTags),
  leaving(30, "tcp"),
  leaving(30, "unix"),
  leaving(1000, "tcp"),
];
