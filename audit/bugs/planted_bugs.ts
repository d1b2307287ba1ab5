import { join } from "node:path";
import { AuditFailure, type CheckContext, type Figures } from "../report.ts";
import { Random } from "../workload/random.ts";
import type { Bug, Catcher } from "./bug.ts";
import { BUGS } from "./bugs.ts";
import { plant, runCatcher } from "./plant.ts";

/*
 * Are the checks able to fail? Each planted bug is put into a copy of the program, and what is said to notice it runs
 * there. A bug that goes unnoticed fails this check.
 */

/** A random check may miss a bug once, by not coming to its place. */
const TRIES = 3;

/** A round is one bug. The first ones always come first: without them no check of durability is worth anything. */
export async function plantedBugs({ seed, extent, directory }: CheckContext): Promise<Figures> {
  const random = new Random(seed);
  const [first, ...others] = BUGS;
  const order = [
    first!,
    ...others.map((bug) => ({ bug, at: random.below(1e9) })).sort(byPlace).map(({ bug }) => bug),
  ];
  let rounds = 0;
  let tries = 0;
  for (const bug of order) {
    if (extent.isOver(rounds)) break;
    tries += await catchBug(bug, join(directory, `bug_${rounds}`), seed);
    rounds++;
  }
  return { rounds, tries };
}

function byPlace(a: { readonly at: number }, b: { readonly at: number }): number {
  return a.at - b.at;
}

/** @returns how many tries it took @throws AuditFailure */
async function catchBug(bug: Bug, copy: string, seed: number): Promise<number> {
  Deno.mkdirSync(copy);
  plant(bug, copy);
  const started = performance.now();
  let output = "";
  for (let tried = 1; tried <= TRIES; tried++) {
    const caught = await runCatcher(bug.caughtBy, copy, seed + tried - 1);
    output = caught.output;
    if (!caught.isCaught) continue;
    const seconds = Math.round((performance.now() - started) / 1000);
    report(`caught: ${bug.name} | ${nameOf(bug.caughtBy)} | ${seconds} s | ${firstFault(output)}\n`);
    Deno.removeSync(copy, { recursive: true });
    return tried;
  }
  throw new AuditFailure(`not caught by ${nameOf(bug.caughtBy)}`, [bug.name, output.slice(-1500)]);
}

function nameOf(catcher: Catcher): string {
  return "tests" in catcher ? catcher.tests : `${catcher.check}, edition ${catcher.edition}`;
}

function firstFault(output: string): string {
  return (/^ {2}- (.*)$/m.exec(output)?.[1] ?? /^(?:error: |\w*Error: )(.*)$/m.exec(output)?.[1] ?? "").slice(
    0,
    120,
  );
}

function report(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}
