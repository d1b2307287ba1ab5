import { runCampaign, type Tally } from "../../tests/http/transport/fuzz/campaign.ts";
import { nodeIsThere } from "../../tests/http/transport/fuzz/reference.ts";

/*
 * The long run: deno task fuzz [--count=1000000] [--seed=<number>]
 * A disagreement is reported with the seed of its case; that seed and a count of 1 repeat it.
 */

const print = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
};

function option(name: string, otherwise: number): number {
  const given = Deno.args.find((arg) => arg.startsWith(`--${name}=`));
  return given === undefined ? otherwise : Number(given.slice(name.length + 3));
}

function report({ cases, requestsTaken, outcomes }: Tally, seconds: number): string {
  const rows = [...outcomes].sort(([, a], [, b]) => b - a).map(([name, count]) => `${count}\t${name}`);
  return `${rows.join("\n")}\n${cases} cases, ${requestsTaken} requests taken by both, ${
    seconds.toFixed(0)
  } s\n`;
}

if (!nodeIsThere()) {
  print("node is not on the path: there is nothing to compare with\n");
  Deno.exit(1);
}
const count = option("count", 1_000_000);
const seed = option("seed", Math.floor(Math.random() * 1e9));
const started = performance.now();
print(`seed ${seed}, ${count} cases\n`);
const tally = await runCampaign(seed, count, ({ cases }) => {
  if (cases % 50_000 === 0) print(`${cases}\n`);
});
print(report(tally, (performance.now() - started) / 1000));
