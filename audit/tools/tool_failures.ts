import { type Trial, Trials } from "../faults/trials.ts";
import { type CheckContext, demand, type Figures } from "../report.ts";
import { Random } from "../workload/random.ts";
import { TOOLS } from "./tools.ts";
import { CALLS, ToolTrials } from "./try_tool.ts";

/*
 * The n-th call of one kind on the files of a tool fails: of a backup, a restore, an export, an import. The message of
 * the tool is then true, its files are whole, and its next run on a disk that works succeeds.
 */

/** With these few events no tool makes as many calls. */
const N_MAX = 500;

/** A round is one run of a tool in which a call fails. */
export async function toolFailures({ seed, extent, directory }: CheckContext): Promise<Figures> {
  await using tools = await ToolTrials.in(directory);
  const counts = new Map<string, Map<string, number>>();
  for (const name of Object.keys(TOOLS)) counts.set(name, await tools.count(name));
  const trials = new Trials(counts, CALLS, ["once", "lasting"], new Random(seed), N_MAX);
  const combinations = trials.left;
  // Done: a failing call did not prevent the tool from finishing its work.
  const tally = { rounds: 0, touched: 0, failed: 0, done: 0 };
  const next = (): Trial | undefined => extent.isOver(tally.rounds) ? undefined : trials.next();
  for (let trial = next(); trial !== undefined; trial = next()) {
    const { isTouched, ended } = await tools.meet(trial);
    trials.tried(trial, isTouched);
    if (isTouched) tally.touched++;
    if (ended.code !== 0) tally.failed++;
    else if (isTouched) tally.done++;
    tally.rounds++;
  }
  demand("failing calls of the tools", tally.rounds, {
    "calls that failed": [tally.touched, tally.rounds * 0.7],
    "runs that failed": [tally.failed, tally.rounds / 2],
  });
  return { ...tally, combinations };
}
