import { parseArgs } from "node:util";
import { parsePostgresUrl, type PostgresAddress } from "../../src/config/postgres_url.ts";
import type { ChildProcess } from "../child_process.ts";
import { Connection, requestBytes, textOf } from "../connection.ts";
import { machineFacts, machineText } from "../machine.ts";
import { SERVER, startServer } from "../measure_all.ts";
import { databaseSettings, databaseText, fillDatabase, startDatabase } from "../postgres/database.ts";
import { FarDatabase, roundTripTo } from "../postgres/far_database.ts";
import { oneEvent } from "../workloads/one_event.ts";
import { print, table } from "./report.ts";

/*
 * Writes of one event on a condition, with more and more latency to the database: a proxy delays the messages of
 * the server. Each result stands next to a model: writes per group / (two round trips + one fdatasync). The model
 * leaves out all work.
 *
 *   deno task campaign:postgres_latency [--seconds 5] [--clients 64,256,1000] [--milliseconds 0,1,10,50] [--dir path]
 */

const WARM_UP_SECONDS = 1;
const ROUND_TRIPS_PER_GROUP = 2;

const { values: flags } = parseArgs({
  args: Deno.args,
  options: {
    seconds: { type: "string", default: "5" },
    clients: { type: "string", default: "64,256,1000" },
    milliseconds: { type: "string", default: "0,1,10,50" },
    dir: { type: "string" },
  },
});
const seconds = Number(flags.seconds);
const clientCounts = flags.clients.split(",").map(Number);
const delays = flags.milliseconds.split(",").map(Number);
if (!(seconds > 0) || !clientCounts.every((count) => count >= 1) || !delays.every((delay) => delay >= 0)) {
  throw new TypeError("--seconds is a number above 0, --clients and --milliseconds are lists of numbers");
}

/** The groups of a server so far, from its metrics. */
interface Groups {
  readonly groups: number;
  readonly writes: number;
}

await using leftovers = new AsyncDisposableStack();
const place = flags.dir === undefined ? {} : { dir: flags.dir };
const directory = Deno.makeTempDirSync({ ...place, prefix: "eventstore_campaign_" });
leftovers.defer(() => Deno.removeSync(directory, { recursive: true }));
const database = leftovers.use(await startDatabase(flags.dir));
const machine = await machineFacts(directory);
print(`${machineText(machine)}\n${await databaseText(database)}, behind a proxy that delays\n\n`);

const rows: string[][] = [];
for (const [i, delay] of delays.entries()) {
  const name = `far_${i}`;
  await fillDatabase(database, name, 0);
  using far = await FarDatabase.open(database.port, delay);
  const url = database.url(undefined, name).replace(`:${database.port}/`, `:${far.port}/`);
  const roundTrip = await roundTripTo(parsePostgresUrl(url) as PostgresAddress);
  await using servers = new AsyncDisposableStack();
  const server = await startServer({ directory, unix: false, servers }, SERVER, `${directory}/${name}`, {
    ...databaseSettings(database, name),
    SERVICE_POSTGRES_URL: url,
    SERVICE_MAX_QUEUED_WRITES: String(2 * Math.max(...clientCounts)),
  });
  for (const clients of clientCounts) rows.push(await row(server, { delay, roundTrip, clients }));
}
const head = [
  "added ms",
  "round trip, ms",
  "clients",
  "writes per group",
  "groups/s",
  "events/s",
  "model, events/s",
  "p50 ms",
  "p99 ms",
];
print(table(head, rows));

async function row(
  { address, pid }: ChildProcess,
  { delay, roundTrip, clients }: { delay: number; roundTrip: number; clients: number },
): Promise<string[]> {
  const before = await groupsOf(address);
  const round = await oneEvent(address, clients, { warmUpSeconds: WARM_UP_SECONDS, seconds, server: pid });
  const after = await groupsOf(address);
  const [groups, writes] = [after.groups - before.groups, after.writes - before.writes];
  const perGroup = writes / groups;
  const eventsPerSecond = round.events / round.seconds;
  const model = 1000 * perGroup / (ROUND_TRIPS_PER_GROUP * roundTrip + machine.fdatasyncMilliseconds);
  return [
    String(delay),
    roundTrip.toFixed(2),
    String(clients),
    perGroup.toFixed(1),
    (eventsPerSecond / perGroup).toFixed(1),
    ...[eventsPerSecond, model].map((value) => Math.round(value).toLocaleString("en")),
    ...[0.5, 0.99].map((share) => round.latencies.quantile(share).toFixed(1)),
  ];
}

async function groupsOf(address: ChildProcess["address"]): Promise<Groups> {
  using connection = await Connection.open(address);
  const text = textOf(await connection.request(requestBytes("GET", "/metrics", "")));
  const sample = (name: string): number => {
    const [, value] = new RegExp(`^${name} (\\S+)$`, "m").exec(text) ?? [];
    if (value === undefined) throw new Error(`the metrics have no ${name}`);
    return Number(value);
  };
  return {
    groups: sample("service_write_group_size_count"),
    writes: sample("service_write_group_size_sum"),
  };
}
