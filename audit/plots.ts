import { parseArgs } from "node:util";
import { lineChart } from "../bench/plots/line_chart.ts";
import { chartsOf } from "./endurance/charts.ts";
import { recordPath, type Sample } from "./endurance/sample.ts";

/*
 * Draws the measurements of `deno task audit:check endurance --record DIR`, for each recorded edition.
 *
 *   deno task audit:plots --record DIR [--out docs/images]
 */

const { values: { record, out } } = parseArgs({
  args: Deno.args,
  options: { record: { type: "string" }, out: { type: "string", default: "docs/images" } },
});
if (record === undefined) throw new TypeError("--record names the directory of what was measured");

function samplesOf(directory: string, edition: string): Sample[] {
  try {
    const lines = Deno.readTextFileSync(recordPath(directory, edition)).trimEnd().split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

const records = Object.fromEntries(
  ["A", "B", "C"].map((edition) => [edition, samplesOf(record, edition)] as const)
    .filter(([, samples]) => samples.length > 0),
);
if (Object.keys(records).length === 0) throw new Error(`there is no record in ${record}`);
for (const [name, chart] of Object.entries(chartsOf(records))) {
  Deno.writeTextFileSync(`${out}/${name}.svg`, lineChart(chart));
}
