import { join } from "node:path";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { countCalls } from "../server/traced_calls.ts";
import { Random } from "../workload/random.ts";
import { injectionOf, type Trial, Trials, trialText } from "./trials.ts";
import { type Occasion, OCCASIONS, type Tried, tryFailure } from "./try_failure.ts";

/*
 * The n-th call of one kind on the files of a store fails, for every n up to the number of calls. It fails at the first
 * start, a write, a checkpoint, a reset, or a stop. All answers given then are true, also after a kill and a start on a
 * disk that works. When the next call fails too, the fence over a failed COMMIT fails as well.
 */

const CALLS = ["openat", "pwrite64", "pread64", "fsync", "ftruncate", "unlink", "rename"];

/** Only the first calls on the pages of a large write and its checkpoint fail. The others are the same loop again. */
const N_MAX = 60;

export async function failingCalls(context: CheckContext): Promise<Figures> {
  const { edition, seed, extent } = context;
  // The other editions do the same once an hour.
  const occasions = OCCASIONS.filter((occasion) => edition === "B" || occasion !== "optimize");
  const counts = new Map<Occasion, Map<string, number>>();
  for (const occasion of occasions) {
    const { trace } = await inPlace(
      context,
      (directory) => tryFailure({ edition, occasion, seed, directory, calls: CALLS.join() }),
    );
    counts.set(occasion, countCalls(trace));
  }
  const trials = new Trials(counts, CALLS, ["once", "twice", "lasting"], new Random(seed), N_MAX);
  const combinations = trials.left;
  const tally = {
    rounds: 0,
    touched: 0,
    endedByItself: 0,
    rejected: 0,
    acknowledged: 0,
    unanswered: 0,
    completeReads: 0,
  };
  const next = (): Trial | undefined => extent.isOver(tally.rounds) ? undefined : trials.next();
  for (let trial = next(); trial !== undefined; trial = next()) {
    const tried = await meet(context, trial);
    trials.tried(trial, tried.isTouched);
    if (tried.isTouched) tally.touched++;
    if (tried.endedByItself) tally.endedByItself++;
    tally.rejected += tried.rejected;
    tally.acknowledged += tried.acknowledged;
    tally.unanswered += tried.unanswered;
    tally.completeReads += tried.completeReads;
    tally.rounds++;
  }
  demand("failing calls", tally.rounds, {
    "calls that failed": [tally.touched, tally.rounds / 2],
    acknowledged: [tally.acknowledged, tally.rounds],
    "reads that were complete": [tally.completeReads, Math.floor(tally.rounds / 10)],
    "rejected or unanswered": [tally.rejected + tally.unanswered, Math.floor(tally.touched / 20)],
  });
  return { ...tally, combinations };
}

/** @throws AuditFailure that names the trial */
async function meet(context: CheckContext, trial: Trial): Promise<Tried> {
  const { edition, seed } = context;
  try {
    return await inPlace(context, (directory) =>
      tryFailure({
        edition,
        occasion: trial.occasion as Occasion,
        seed,
        directory,
        calls: trial.call,
        injection: injectionOf(trial),
      }));
  } catch (error) {
    if (error instanceof AuditFailure) throw new AuditFailure(trialText(trial), [error.message]);
    throw new Error(trialText(trial), { cause: error });
  }
}

/** Runs the work in an empty directory, which stays when the work fails. */
async function inPlace(context: CheckContext, work: (directory: string) => Promise<Tried>): Promise<Tried> {
  const directory = join(context.directory, "tried");
  Deno.mkdirSync(directory);
  const tried = await work(directory);
  Deno.removeSync(directory, { recursive: true });
  return tried;
}
