import { dirname, join } from "node:path";
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

/**
 * A round is one bug. The first one always comes first: without it no check of durability is worth anything. After the
 * last one, everything that has noticed a bug must pass in a copy without one.
 */
export async function plantedBugs(context: CheckContext): Promise<Figures> {
  const random = new Random(context.seed);
  const [first, ...others] = BUGS;
  const order = [
    first!,
    ...others.map((bug) => ({ bug, at: random.below(1e9) })).sort(byPlace).map(({ bug }) => bug),
  ];
  const tally = { rounds: 0, tries: 0, controls: 0 };
  for (const bug of order) {
    if (context.extent.isOver(tally.rounds)) return tally;
    tally.tries += await inCopy(context, bug, (copy) => catchBug(bug, context, copy));
    tally.rounds++;
  }
  await inCopy(context, undefined, async (copy) => {
    for (const catcher of new Map(BUGS.map(({ caughtBy }) => [nameOf(caughtBy), caughtBy])).values()) {
      await passWithout(catcher, context, copy);
      tally.controls++;
    }
  });
  return tally;
}

function byPlace(a: { readonly at: number }, b: { readonly at: number }): number {
  return a.at - b.at;
}

async function inCopy<T>(
  context: CheckContext,
  bug: Bug | undefined,
  use: (copy: string) => Promise<T>,
): Promise<T> {
  const copy = join(context.directory, "copy");
  Deno.mkdirSync(copy);
  plant(bug, copy);
  const result = await use(copy);
  Deno.removeSync(copy, { recursive: true });
  return result;
}

/** @returns how many tries it took @throws AuditFailure */
async function catchBug(bug: Bug, { directory, seed }: CheckContext, copy: string): Promise<number> {
  const started = performance.now();
  let output = "";
  for (let tried = 1; tried <= TRIES; tried++) {
    const caught = await runCatcher(bug.caughtBy, { copy, stores: dirname(directory) }, seed + tried - 1);
    output = caught.output;
    if (!caught.isCaught) continue;
    const seconds = Math.round((performance.now() - started) / 1000);
    report(`caught: ${bug.name} | ${nameOf(bug.caughtBy)} | ${seconds} s | ${firstFault(output)}\n`);
    return tried;
  }
  throw new AuditFailure(`not caught by ${nameOf(bug.caughtBy)}`, [bug.name, output.slice(-1500)]);
}

/** @throws AuditFailure when it fails though there is no bug: then it proves nothing */
async function passWithout(catcher: Catcher, { directory, seed }: CheckContext, copy: string): Promise<void> {
  const { isFine, output } = await runCatcher(catcher, { copy, stores: dirname(directory) }, seed);
  if (!isFine) throw new AuditFailure(`${nameOf(catcher)} fails without a bug`, [output.slice(-1500)]);
  report(`passes without a bug: ${nameOf(catcher)}\n`);
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
