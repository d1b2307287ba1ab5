import { type BenchFlags, parseBenchFlags, USAGE } from "./flags.ts";
import { measureAll } from "./measure_all.ts";
import { headText, ratiosOf, ratiosText, type Results, rowText } from "./report.ts";

const flags = flagsOrExit();
const interrupted = Promise.withResolvers<undefined>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => interrupted.resolve(undefined));
}
const results = await measureAndCleanUp(flags);
if (results === undefined) Deno.exit(130);
await print(`\n${ratiosText(results)}`);
if (flags.jsonPath !== undefined) await writeJson(flags.jsonPath, results);
Deno.exit(0);

/** @returns undefined when it was interrupted */
async function measureAndCleanUp({ unix, seconds, prefill, dir }: BenchFlags): Promise<Results | undefined> {
  await using leftovers = new AsyncDisposableStack();
  const directory = Deno.makeTempDirSync({
    ...dir === undefined ? {} : { dir },
    prefix: "eventstore_bench_",
  });
  leftovers.defer(() => Deno.remove(directory, { recursive: true }));
  await print(
    `${machineText()}\n${prefill.toLocaleString("en")} events in the store, ${seconds} s a row, ` +
      `${unix ? "unix socket" : "TCP"}, in ${directory}\n\n${headText}`,
  );
  const measuring = measureAll({
    directory,
    storeEvents: prefill,
    unix,
    seconds,
    servers: leftovers,
    onRow: (name, measured) => void print(rowText(name, measured)),
  });
  return await Promise.race([measuring, interrupted.promise]);
}

async function writeJson(path: string, results: Results): Promise<void> {
  const { unix, seconds, prefill } = flags;
  const run = { date: new Date().toISOString(), machine: machineText(), unix, seconds, prefill };
  await Deno.writeTextFile(
    path,
    `${JSON.stringify({ ...run, rows: results, ratios: ratiosOf(results) }, null, 2)}\n`,
  );
}

function machineText(): string {
  return `Deno ${Deno.version.deno}, ${Deno.build.os} ${Deno.build.arch}, ${navigator.hardwareConcurrency} cores`;
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
