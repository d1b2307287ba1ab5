import { parseArgs } from "node:util";
import { print } from "../campaigns/report.ts";
import { growthText } from "../growth/report.ts";
import { machineFacts } from "../machine.ts";
import { chartOfGrowth, chartsOfRun } from "./charts.ts";
import { type LineChart, lineChart } from "./line_chart.ts";
import { machineTable, rowsTable, startTable } from "./tables.ts";

/*
 * Makes the charts of docs/performance.md from the files of `deno task bench --json` and `deno task bench:growth
 * --json`, and prints their tables. Without a file, it prints only the facts of this machine.
 *
 *   deno task bench:plots [--bench bench.json] [--growth growth.json] [--out docs/performance]
 */

const { values: flags } = parseArgs({
  args: Deno.args,
  options: {
    bench: { type: "string" },
    growth: { type: "string" },
    out: { type: "string", default: "docs/performance" },
  },
});

function write(name: string, chart: LineChart): void {
  Deno.mkdirSync(flags.out, { recursive: true });
  Deno.writeTextFileSync(`${flags.out}/${name}.svg`, lineChart(chart));
}

if (flags.bench !== undefined) {
  const { machine, start, rows } = JSON.parse(Deno.readTextFileSync(flags.bench));
  for (const [name, chart] of Object.entries(chartsOfRun(rows))) write(name, chart);
  print(`${machineTable(machine)}\n${rowsTable(rows)}\n${startTable(start)}\n`);
}
if (flags.growth !== undefined) {
  const { sizes } = JSON.parse(Deno.readTextFileSync(flags.growth));
  write("growth", chartOfGrowth(sizes));
  print(growthText(sizes));
}
if (flags.bench === undefined && flags.growth === undefined) {
  const directory = Deno.makeTempDirSync({ prefix: "eventstore_machine_" });
  print(machineTable(await machineFacts(directory)));
  Deno.removeSync(directory, { recursive: true });
}
