import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import process from "node:process";
import { mirror, sqlite } from "../../client/mirror/mod.ts";
import { EventStore } from "../../client/mod.ts";
import { ChildProcess } from "../child_process.ts";
import { fillStore } from "../fill_store.ts";
import { median, print, table } from "./report.ts";

/*
 * Measures how fast a mirror fills a table of SQLite, next to a client that reads the same events and drops them. Each
 * round has each of them once. The load of the machine shows if other programs took part of it.
 *
 *   deno task campaign:mirror [events] [rounds]
 */

const EVENTS = Number(Deno.args[0] ?? 1_000_000);
const ROUNDS = Number(Deno.args[1] ?? 3);

/** The default of the server, and the most that it allows by default. */
const LIMITS = [1000, 10_000];

const directory = await Deno.makeTempDir({ prefix: "eventstore_bench_" });

/** A run: events per second, and the CPU time of this process, which reads and writes, in microseconds per event. */
interface Run {
  readonly perSecond: number;
  readonly micros: number;
}

async function measure(work: () => Promise<number>): Promise<Run> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const count = await work();
  if (count !== EVENTS) throw new Error(`${count} events`);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { perSecond: EVENTS / seconds, micros: (user + system) / EVENTS };
}

async function readAlone(store: EventStore, limit: number): Promise<number> {
  let count = 0;
  for await (const { events, checkpoint } of store.follow("*", { limit })) {
    count += events.length;
    if (checkpoint.sequence === EVENTS) break;
  }
  return count;
}

/** A row for each event, with three of its identifiers and its payload. */
async function fillTable(store: EventStore, limit: number): Promise<number> {
  const path = join(await Deno.makeTempDir({ dir: directory }), "rows.db");
  const connection = new DatabaseSync(path);
  connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  await mirror(store, sqlite(connection), {
    name: "orders",
    version: "1",
    query: "*",
    create: (table) =>
      `CREATE TABLE ${table} (sequence INTEGER PRIMARY KEY, time TEXT, type TEXT, "order" TEXT, customer TEXT,
        article TEXT, payload TEXT)`,
    apply(database, events, table) {
      const insert = `INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?)`;
      for (const { sequence, time, type, identifiers, payload } of events) {
        const tags = ["order", "customer", "article"].map((name) => identifiers[name] as string);
        database.run(insert, [sequence, time, type, ...tags, JSON.stringify(payload)]);
      }
    },
  }, { stopAtEnd: true, limit });
  const { count } = connection.prepare("SELECT count(*) AS count FROM orders").get() as { count: number };
  connection.close();
  await Deno.remove(path);
  return count;
}

try {
  fillStore(`${directory}/data`, EVENTS);
  const main = new URL("../../main.ts", import.meta.url);
  await using server = new ChildProcess(main, directory, false, `${directory}/data`, {});
  await server.listening();
  const { address } = server;
  if (address.transport !== "tcp") throw new Error("the server is not on TCP");
  const store = new EventStore({ url: `http://${address.hostname}:${address.port}` });
  const works = [["read alone", readAlone], ["table of SQLite", fillTable]] as const;
  const cases = works.flatMap(([name, work]) =>
    LIMITS.map((limit) => ({
      name: `${name}, limit ${limit}`,
      work: () => work(store, limit),
      runs: [] as Run[],
    }))
  );
  for (let round = 1; round <= ROUNDS; round++) {
    print(`round ${round}, load ${Deno.loadavg()[0]!.toFixed(1)}\n`);
    for (const { work, runs } of cases) runs.push(await measure(work));
  }
  const rows = cases.map(({ name, runs }) => {
    const speeds = runs.map(({ perSecond }) => perSecond);
    const cpu = median(runs.map(({ micros }) => micros));
    return [name, Math.max(...speeds).toFixed(0), median(speeds).toFixed(0), cpu.toFixed(1)];
  });
  print(table([`${EVENTS} events`, "best, events/s", "median, events/s", "CPU us per event"], rows));
} finally {
  await Deno.remove(directory, { recursive: true });
}
