import { type BenchFlags, parseBenchFlags, USAGE } from "./flags.ts";
import { measureAll } from "./measure_all.ts";
import { type Machine, machineFacts, machineText } from "./machine.ts";
import { headText, ratiosOf, ratiosText, type Results, rowText, startText } from "./report.ts";
import { databaseText, startDatabase } from "./postgres/database.ts";
import type { Started } from "./start.ts";

interface Run {
  readonly machine: Machine;
  readonly start: Started;
  readonly rows: Results;
}

const flags = flagsOrExit();
const interrupted = Promise.withResolvers<undefined>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => interrupted.resolve(undefined));
}
const run = await measureAndCleanUp(flags);
if (run === undefined) Deno.exit(130);
await print(`\n${ratiosText(run.rows)}`);
if (flags.jsonPath !== undefined) await writeJson(flags.jsonPath, run);
Deno.exit(0);

/** @returns undefined when the run was interrupted */
async function measureAndCleanUp(
  { unix, storage, seconds, prefill, dir }: BenchFlags,
): Promise<Run | undefined> {
  await using leftovers = new AsyncDisposableStack();
  const directory = Deno.makeTempDirSync({
    ...dir === undefined ? {} : { dir },
    prefix: "eventstore_bench_",
  });
  leftovers.defer(() => Deno.remove(directory, { recursive: true }));
  const machine = await machineFacts(directory);
  const database = storage === "postgres" ? leftovers.use(await startDatabase(dir)) : undefined;
  await print(`${machineText(machine)}\n`);
  if (database !== undefined) await print(`${await databaseText(database)}\n`);
  await print(
    `${prefill.toLocaleString("en")} events in the store, ${seconds} s a row, ` +
      `${unix ? "unix socket" : "TCP"}, in ${directory}\n`,
  );
  const measuring = measureAll({
    directory,
    database,
    storeEvents: prefill,
    unix,
    seconds,
    servers: leftovers,
    onStart: (started) => void print(startText(started) + headText),
    onRow: (name, measured) => void print(rowText(name, measured)),
  });
  const measured = await Promise.race([measuring, interrupted.promise]);
  return measured === undefined ? undefined : { machine, ...measured };
}

async function writeJson(path: string, run: Run): Promise<void> {
  const { unix, storage, seconds, prefill } = flags;
  const facts = { date: new Date().toISOString(), unix, storage, seconds, prefill };
  const text = JSON.stringify({ ...facts, ...run, ratios: ratiosOf(run.rows) }, null, 2);
  await Deno.writeTextFile(path, `${text}\n`);
}

function flagsOrExit(): BenchFlags {
  try {
    return parseBenchFlags(Deno.args);
  } catch (error) {
    Deno.stderr.writeSync(new TextEncoder().encode(`${(error as Error).message}\n\n${USAGE}`));
    Deno.exit(2);
  }
}

async function print(text: string): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(text));
}
