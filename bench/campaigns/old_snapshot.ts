import { parseArgs } from "node:util";
import { PostgresStore } from "../../src/store/postgres/postgres_store.ts";
import { Session } from "../../src/store/postgres/protocol/session.ts";
import { prepareEvent } from "../../src/store/core/prepare_event.ts";
import { EMPTY_WRITE } from "../../src/store/api/write.ts";
import { Histogram } from "../histogram.ts";
import { machineFacts, machineText } from "../machine.ts";
import { databaseText, startDatabase } from "../postgres/database.ts";
import { SampleEvents } from "../sample_events.ts";
import { print, table } from "./report.ts";

/*
 * Write transactions of one event while a snapshot stays open that is older than all of them, like that of a dump
 * or of a forgotten client. The row versions that they leave behind must not slow down later ones. 1,080,000
 * transactions are an hour at 300 a second.
 *
 *   deno task campaign:old_snapshot [--turns 1080000] [--parts 10] [--dir path]
 */

const { values: flags } = parseArgs({
  args: Deno.args,
  options: {
    turns: { type: "string", default: "1080000" },
    parts: { type: "string", default: "10" },
    dir: { type: "string" },
  },
});
const turns = Number(flags.turns);
const parts = Number(flags.parts);
if (!(turns >= parts && parts >= 1)) {
  throw new TypeError("--turns and --parts are numbers, --turns the higher one");
}

await using leftovers = new AsyncDisposableStack();
const place = flags.dir === undefined ? {} : { dir: flags.dir };
const directory = Deno.makeTempDirSync({ ...place, prefix: "eventstore_campaign_" });
leftovers.defer(() => Deno.removeSync(directory, { recursive: true }));
const database = leftovers.use(await startDatabase(flags.dir));
print(`${machineText(await machineFacts(directory))}\n${await databaseText(database)}, one client\n\n`);

const store = await PostgresStore.open({ address: database.address(), schema: "eventstore" }, {
  readersMax: 1,
  edition: "A",
  servers: "shared",
});
const sample = new SampleEvents(turns, 1);

async function take(count: number): Promise<Histogram> {
  const latencies = new Histogram();
  for (let turn = 0; turn < count; turn++) {
    const [event] = sample.events(1);
    const begun = performance.now();
    const [outcome] = await store.writer.group([{
      ...EMPTY_WRITE,
      events: [prepareEvent(event!, Date.now() * 1000)],
    }]);
    latencies.add(performance.now() - begun);
    if (outcome?.kind !== "done") throw new Error(JSON.stringify(outcome));
  }
  return latencies;
}

await take(2000);
const before = await take(5000);
const snapshot = await Session.open(database.address(), { parameters: {}, silenceMilliseconds: 3_600_000 });
await snapshot.run([{ sql: "BEGIN ISOLATION LEVEL REPEATABLE READ" }, {
  sql: "SELECT count(*) FROM pg_class",
}]);
const rows = [["without the snapshot", before]] as [string, Histogram][];
for (let part = 1; part <= parts; part++) {
  const latencies = await take(Math.floor(turns / parts));
  rows.push([`up to turn ${Math.floor(part * turns / parts).toLocaleString("en")}`, latencies]);
}
await snapshot.run([{ sql: "COMMIT" }]);
await snapshot.close();
rows.push(["the snapshot is over", await take(5000)]);
await store.close();
const figures = rows.map(([name, latencies]) => [
  name,
  ...[0.5, 0.99].map((share) => latencies.quantile(share).toFixed(3)),
]);
print(table(["turns", "p50 ms", "p99 ms"], figures));
