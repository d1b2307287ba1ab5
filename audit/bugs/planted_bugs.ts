import { dirname, join } from "node:path";
import { AuditFailure, type CheckContext, type Figures } from "../report.ts";
import { Random } from "../workload/random.ts";
import type { Bug, Catcher } from "./bug.ts";
import { BUGS } from "./bugs.ts";
import { nameOf } from "./list.ts";
import { plant, runCatcher } from "./plant.ts";

/*
 * Can the checks fail? This check plants each bug in a copy of the program and runs the check that should notice it. A
 * bug that goes unnoticed fails this check.
 */

/** A random check may miss a bug once, because it did not reach the code with the bug. */
const TRIES = 3;

/** The number of characters shown of the output of a check or a test. */
const OUTPUT_MAX = 1500;

/**
 * A round is one bug. The first one always comes first: without it no check of durability is worth anything. After the
 * last one, every check that noticed a bug must pass in a copy without a bug. A failure does not end the run, because
 * all of it takes long.
 */
export async function plantedBugs(context: CheckContext): Promise<Figures> {
  const random = new Random(context.seed);
  const [first, ...others] = BUGS;
  const order = [
    first!,
    ...others.map((bug) => ({ bug, at: random.below(1e9) })).sort(byPlace).map(({ bug }) => bug),
  ];
  const tally = { rounds: 0, tries: 0, controls: 0 };
  const faults: string[] = [];
  for (const bug of order) {
    if (context.extent.isOver(tally.rounds)) break;
    const { tries, fault } = await inCopy(context, bug, (copy) => catchBug(bug, context, copy));
    tally.rounds++;
    tally.tries += tries;
    if (fault !== undefined) faults.push(fault);
  }
  if (tally.rounds === order.length) {
    await inCopy(context, undefined, async (copy) => {
      for (const catcher of new Map(BUGS.map(({ caughtBy }) => [nameOf(caughtBy), caughtBy])).values()) {
        const fault = await faultWithout(catcher, context, copy);
        tally.controls++;
        if (fault !== undefined) faults.push(fault);
      }
    });
  }
  if (faults.length > 0) throw new AuditFailure("planted bugs", faults);
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

/** @returns the number of tries, and a fault when none of them noticed the bug */
async function catchBug(
  bug: Bug,
  { directory, seed }: CheckContext,
  copy: string,
): Promise<{ tries: number; fault?: string }> {
  const started = performance.now();
  let output = "";
  for (let tries = 1; tries <= TRIES; tries++) {
    const caught = await runCatcher(bug.caughtBy, { copy, stores: dirname(directory) }, seed + tries - 1);
    output = caught.output;
    if (!caught.isCaught) continue;
    const seconds = Math.round((performance.now() - started) / 1000);
    report(`caught: ${bug.name} | ${nameOf(bug.caughtBy)} | ${seconds} s | ${firstFault(output)}\n`);
    return { tries };
  }
  const fault = `not caught by ${nameOf(bug.caughtBy)}: ${bug.name}`;
  report(`${fault}\n${output.slice(-OUTPUT_MAX)}\n`);
  return { tries: TRIES, fault };
}

/** @returns a fault when the check fails although there is no bug: such a check proves nothing */
async function faultWithout(
  catcher: Catcher,
  { directory, seed }: CheckContext,
  copy: string,
): Promise<string | undefined> {
  const { isFine, output } = await runCatcher(catcher, { copy, stores: dirname(directory) }, seed);
  if (isFine) {
    report(`passes without a bug: ${nameOf(catcher)}\n`);
    return undefined;
  }
  const fault = `${nameOf(catcher)} fails without a bug`;
  report(`${fault}\n${output.slice(-OUTPUT_MAX)}\n`);
  return fault;
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
