import { parseArgs } from "node:util";
import { type Attack, scale } from "./attacks/attack.ts";
import { ATTACKS } from "./attacks/attacks.ts";
import { type Row, runAttack } from "./attacks/run_attack.ts";
import { print, table } from "./report.ts";

/*
 * Attacks by hostile and unlucky clients against the real server with a heap of 1 GB. Meanwhile honest clients run,
 * which must not notice. With --tenants, both are tenants of one store, each with its token. Prints a table in
 * markdown; exit code 1 when a bound is broken.
 *
 *   deno task campaign:attack [--only part-of-a-name] [--share 0.1] [--tenants]
 */

const HEAD = [
  "attack",
  "tries",
  "p50, ms",
  "p99, ms",
  "worst, ms",
  "peak RSS, MiB",
  "RSS after, MiB",
  "outcome",
  "within bounds",
];

const { values } = parseArgs({
  options: { only: { type: "string" }, share: { type: "string" }, tenants: { type: "boolean" } },
});
const share = Number(values.share ?? 1);
const chosen = ATTACKS.filter(({ name }) => name.includes(values.only ?? ""));
if (!(share > 0 && share <= 1) || chosen.length === 0) {
  const names = ATTACKS.map(({ name }) => `  ${name}\n`).join("");
  print(`--share must be above 0 and at most 1, --only a part of one of these names:\n${names}`);
  Deno.exit(2);
}

print(table(HEAD, []));
let broken = 0;
for (const attack of chosen) {
  const row = await runAttack(attack, scale(share), values.tenants);
  if (row.faults.length > 0) broken++;
  print(line(attack, row));
}
print(`\n${chosen.length} attacks, ${broken} broke a bound\n`);
Deno.exit(broken === 0 ? 0 : 1);

/** Prints each row as soon as it is known, because all of them take a while. */
function line({ name }: Attack, row: Row): string {
  const fixed = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? "-";
  const cells = [
    name,
    String(row.tries),
    fixed(row.p50, 1),
    fixed(row.p99, 1),
    fixed(row.worst, 0),
    fixed(row.peakMib, 0),
    fixed(row.afterMib, 0),
    row.outcome,
    row.faults.length === 0 ? "yes" : `NO: ${[...new Set(row.faults)].join("; ")}`,
  ].map((cell) => cell.replaceAll("|", "\\|"));
  return `| ${cells.join(" | ")} |\n`;
}
