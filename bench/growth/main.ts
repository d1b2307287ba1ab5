import { statfsSync } from "node:fs";
import { parseArgs } from "node:util";
import { print } from "../campaigns/report.ts";
import { type Machine, machineFacts, machineText } from "../machine.ts";
import { measureSize } from "./measure_size.ts";
import { growthText, type Size } from "./report.ts";

/*
 * Measures the main rows on stores of several sizes. Each alternates with the same row on a reference: an empty
 * store, or for reads one of 10,000 events. So the ratio of the two does not depend on the load of the machine.
 *
 * A store is made for each size, measured and removed. With --json, sizes that the file already has are not
 * measured again. So you can resume an interrupted campaign, and measure sizes one by one.
 *
 *   deno task bench:growth [--events 0,1000000,10000000] [--seconds 9] [--dir path] [--json path]
 */

const { values: flags } = parseArgs({
  args: Deno.args,
  options: {
    events: { type: "string", default: "0,1000000,10000000" },
    seconds: { type: "string", default: "9" },
    dir: { type: "string" },
    json: { type: "string" },
  },
});

/** The disk space of a sample event with its share of the index, and of the events of the rows. */
const DISK_BYTES_PER_EVENT = 800;
const DISK_BYTES_MORE = 2e9;

const seconds = Number(flags.seconds);
const counts = flags.events.split(",").map(Number);
if (!(seconds > 0) || !counts.every((count) => Number.isSafeInteger(count) && count >= 0)) {
  throw new TypeError("--seconds is a number above 0, --events a list of whole numbers");
}

interface Growth {
  readonly machine: Machine;
  readonly seconds: number;
  readonly sizes: readonly Size[];
}

const interrupted = Promise.withResolvers<never>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => interrupted.reject(new Error("interrupted")));
}
let growth = await begin();
print(`${machineText(growth.machine)}\n`);
for (const events of counts) {
  if (growth.sizes.some((size) => size.events === events)) continue;
  const sizes = [...growth.sizes, await sizeOf(events)].toSorted((a, b) => a.events - b.events);
  growth = { ...growth, sizes };
  if (flags.json !== undefined) await Deno.writeTextFile(flags.json, `${JSON.stringify(growth, null, 2)}\n`);
}
print(`\n${growthText(growth.sizes)}`);
Deno.exit(0);

/** Returns the content of the file so far. */
async function begin(): Promise<Growth> {
  try {
    if (flags.json !== undefined) return JSON.parse(await Deno.readTextFile(flags.json));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const directory = makeDirectory();
  const machine = await machineFacts(directory);
  await Deno.remove(directory, { recursive: true });
  return { machine, seconds, sizes: [] };
}

function makeDirectory(): string {
  return Deno.makeTempDirSync({
    ...flags.dir === undefined ? {} : { dir: flags.dir },
    prefix: "eventstore_growth_",
  });
}

async function sizeOf(events: number): Promise<Size> {
  await using servers = new AsyncDisposableStack();
  const directory = makeDirectory();
  servers.defer(() => Deno.remove(directory, { recursive: true }));
  const { bavail, bsize } = statfsSync(directory);
  const [free, needed] = [bavail * bsize, events * DISK_BYTES_PER_EVENT + DISK_BYTES_MORE];
  if (free < needed) {
    throw new Error(`${gigabytes(needed)} GB are needed in ${directory}, ${gigabytes(free)} are free`);
  }
  print(`\n${events.toLocaleString("en")} events, in ${directory}\n`);
  return await Promise.race([
    measureSize({ directory, unix: false, servers, seconds }, events),
    interrupted.promise,
  ]);
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1);
}
