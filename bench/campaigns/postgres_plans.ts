import { parseArgs } from "node:util";
import type { Query } from "../../src/model/query.ts";
import { openPostgres } from "../../src/store/postgres/open_postgres.ts";
import { openPrimary } from "../../src/store/postgres/connection/open_session.ts";
import { PostgresStore } from "../../src/store/postgres/postgres_store.ts";
import { textIn } from "../../src/store/postgres/protocol/cells.ts";
import { Session, type Statement } from "../../src/store/postgres/protocol/session.ts";
import { throwIfFailed } from "../../src/store/api/outcome.ts";
import { EVERYTHING } from "../../tests/store/chunks.ts";
import { pause } from "../../tests/support/eventually.ts";
import { changing, queryOf, storeWrite, tag } from "../../tests/store/made_writes.ts";
import { databaseText, fillDatabase, startDatabase } from "../postgres/database.ts";
import { SampleEvents } from "../sample_events.ts";
import { print } from "./report.ts";

/*
 * The plan of every statement that a server runs on a large store, as EXPLAIN shows it in a session with the
 * server's own settings. Exits with 1 when one scans a whole table of events, terms, time blocks or projections.
 *
 *   deno task campaign:postgres_plans [--events 5000000] [--dir path]
 */

const { values: flags } = parseArgs({
  args: Deno.args,
  options: { events: { type: "string", default: "5000000" }, dir: { type: "string" } },
});
const events = Number(flags.events);
const WHOLE_TABLE = /Seq Scan on (event|event_term|time_block|projection)\b/;
const LINE_MAX = 100;
const EXPLAINED = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/;

await using database = await startDatabase(flags.dir);
await fillDatabase(database, "plans", events);
await database.sqlIn(database.address(undefined, "plans"), "ANALYZE");
const place = { address: database.address(undefined, "plans"), schema: "eventstore" };
const statements = await statementsOf(async () => {
  await work();
  await takeOver();
});

const session = await openPrimary(place, "writing");
const plans: string[] = [];
let scans = 0;
for (const { sql, params = [] } of statements) {
  const [, plan] = await session.run([{ sql: "BEGIN" }, { sql: `EXPLAIN ${sql}`, params }, {
    sql: "ROLLBACK",
  }]);
  const lines = plan!.map(([line]) => textIn(line));
  const isWhole = lines.some((line) => WHOLE_TABLE.test(line));
  if (isWhole) scans++;
  const nodes = nodesIn(lines).map((node) => `    -> ${node}\n`);
  plans.push(wrapped(sql) + nodes.join("") + (isWhole ? "    -> THE WHOLE TABLE\n" : ""));
}
await session.close();
print(`${await databaseText(database)}; ${events.toLocaleString("en")} events\n\n`);
print(plans.toSorted().join("\n"));
print(`\n${plans.length} statements, ${scans} through a whole table\n`);
Deno.exitCode = scans === 0 ? 0 : 1;

/** Wraps lines that are too long for a page. */
function wrapped(sql: string): string {
  const lines: string[] = [];
  for (const word of sql.trim().split(/\s+/)) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && longer.length <= LINE_MAX) lines[lines.length - 1] = longer;
    else lines.push(lines.length === 0 ? word : `  ${word}`);
  }
  return `${lines.join("\n")}\n`;
}

/** The nodes of a plan that read a table, each once. */
function nodesIn(lines: readonly string[]): string[] {
  const nodes = lines.flatMap((line) =>
    /((?:Index|Seq|Bitmap|Tid)[\w ]*Scan[\w ]* on \w+)/.exec(line)?.[1] ?? []
  );
  return [...new Set(nodes)];
}

/** Records the statements of all sessions, each text once, while `work` runs. */
async function statementsOf(work: () => Promise<void>): Promise<Statement[]> {
  const seen = new Map<string, Statement>();
  const { run } = Session.prototype;
  Session.prototype.run = function (statements, ...rest) {
    for (const each of statements) if (EXPLAINED.test(each.sql)) seen.set(each.sql, each);
    return run.call(this, statements, ...rest);
  };
  try {
    await work();
  } finally {
    Session.prototype.run = run;
  }
  return [...seen.values()];
}

/** Runs every kind of write transaction and of read, except those about whole tables: a reset, and the statistics. */
async function work(): Promise<void> {
  // A store that was just opened knows nothing from memory, so it looks up every condition.
  const store = await PostgresStore.open(place, { readersMax: 2, edition: "A", servers: "shared" });
  const write = async (...args: Parameters<typeof storeWrite>): Promise<void> => {
    throwIfFailed((await store.writer.group([storeWrite(...args)]))[0]!);
  };
  const sample = new SampleEvents(events, 7);
  const article = tag("article", sample.article());
  const queries: Query[] = [
    queryOf([sample.type()]),
    queryOf(["OrderPlaced", "OrderPaid"], [tag("customer", sample.customer())]),
    queryOf([], [article, tag("order", sample.order())]),
    [...queryOf(["none"]), ...queryOf([], [article])],
  ];
  for (const failIfEventsMatch of [...queries, queryOf([], [tag("n", "none")])]) {
    await write(sample.events(3), { conditions: [{ failIfEventsMatch, afterSequence: 9 }] });
  }
  const key = { type: "p", id: "1" };
  const change = async (changes: Parameters<typeof changing>[0]): Promise<string | undefined> => {
    throwIfFailed((await store.writer.group([changing(changes)]))[0]!);
    return (await store.reads.projection(key)).projection?.version;
  };
  const created = await change({ create: [{ ...key, payload: "x" }] });
  const replaced = await change({ replace: [{ ...key, version: created!, payload: "y" }] });
  await change({ delete: [{ ...key, version: replaced! }] });
  throwIfFailed(await store.writer.deleteProjections("p"));
  throwIfFailed(await store.writer.setPaused(1));
  throwIfFailed(await store.writer.setPaused(undefined));
  const time = { fromMicros: 0, beforeMicros: 2_000_000_000_000_000 };
  for (const query of ["every", ...queries] as const) {
    for (const backwards of [false, true]) {
      for (const bounds of [{}, { afterSequence: events - 100 }, { time }, { limit: 1 }]) {
        await store.reads.chunk({ ...EVERYTHING, query, backwards, ...bounds });
      }
    }
  }
  await store.close();
}

/** Runs the statements of servers of editions B and C, of which only one uses the store. */
async function takeOver(): Promise<void> {
  const options = { readersMax: 1, edition: "C", servers: "exclusive" } as const;
  const active = await PostgresStore.open(place, options);
  const { standby } = await openPostgres(place, options);
  const takenOver = standby!.takeOver();
  // The server that stands by checks the heartbeat of the active one twice a second.
  await pause(1000);
  await active.close();
  await (await takenOver)!.close();
}
