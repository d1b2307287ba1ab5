import { join } from "node:path";
import { parseArgs } from "node:util";
import { ChildProcess } from "../child_process.ts";
import { fillStore } from "../fill_store.ts";
import { machineFacts, machineText } from "../machine.ts";
import { SERVER } from "../measure_all.ts";
import { databaseSettings, databaseText, startDatabase } from "../postgres/database.ts";
import { programCommand } from "../../tests/support/start_command.ts";
import { print, table } from "./report.ts";

/*
 * How long events take from a file to PostgreSQL and back, with the commands of docs/move.md. It fails when the
 * file that comes back differs from the original.
 *
 *   deno task campaign:moving [--events 1000000] [--dir path]
 */

const { values: flags } = parseArgs({
  args: Deno.args,
  options: { events: { type: "string", default: "1000000" }, dir: { type: "string" } },
});
const events = Number(flags.events);

await using leftovers = new AsyncDisposableStack();
const place = flags.dir === undefined ? {} : { dir: flags.dir };
const directory = Deno.makeTempDirSync({ ...place, prefix: "eventstore_campaign_" });
leftovers.defer(() => Deno.removeSync(directory, { recursive: true }));
const database = leftovers.use(await startDatabase(flags.dir));
print(`${machineText(await machineFacts(directory))}\n${await databaseText(database)}\n`);
fillStore(below("old"), events);
await database.sql("CREATE DATABASE moved TEMPLATE template0");
const inDatabase = databaseSettings(database, "moved");

const there = [
  await step("export from the file", "backup", [
    "export",
    "--from",
    below("old"),
    "--output",
    "there.ndjson",
  ]),
  await step("import into PostgreSQL", "init", ["--import", "there.ndjson"], inDatabase),
];
const home = Deno.makeTempDirSync({ dir: directory });
const server = leftovers.use(new ChildProcess(SERVER, home, true, below("data"), inDatabase));
await server.listening();
const source = {
  SERVICE_BACKUP_SOURCE_SOCKET: join(home, "server.sock"),
  SERVICE_BACKUP_DATA_DIR: below("backup"),
};
const back = [
  await step("backup of the server on PostgreSQL", "backup", [], source),
  await step("export of the backup", "backup", ["export", "--output", "back.ndjson"], source),
  await step("import into a file", "init", ["--import", "back.ndjson", "--data-dir", below("new")]),
];
const same = await new Deno.Command("cmp", { args: [below("there.ndjson"), below("back.ndjson")] }).output();
if (!same.success) throw new Error("another file came back");
print(`\n${table([`${events.toLocaleString("en")} events`, "s"], [...rows(there), ...rows(back)])}`);

interface Step {
  readonly title: string;
  readonly seconds: number;
}

function rows(steps: readonly Step[]): string[][] {
  const sum = steps.reduce((seconds, step) => seconds + step.seconds, 0);
  return [...steps, { title: "**together**", seconds: sum }]
    .map(({ title, seconds }) => [title, seconds.toFixed(1)]);
}

async function step(
  title: string,
  name: "backup" | "init",
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Step> {
  const [program, ...flags] = programCommand(name);
  const startedAt = performance.now();
  const command = new Deno.Command(program, {
    args: [...flags, ...args],
    cwd: directory,
    env,
    stdout: "null",
  });
  const { code } = await command.spawn().status;
  if (code !== 0) throw new Error(`${title} failed`);
  return { title, seconds: (performance.now() - startedAt) / 1000 };
}

function below(name: string): string {
  return join(directory, name);
}
