import { join } from "node:path";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { Random } from "../workload/random.ts";
import { type Combination, combinations } from "./combinations.ts";
import { tryFailure } from "./try_failure.ts";

/*
 * The n-th call of one kind on the files of a store fails, with n = 1, 2, 3 and so on until there is no n-th one: at
 * the first start, a write, a checkpoint, a reset, a stop. Whatever a client was told then is the truth, also after a
 * kill and a start on a disk that works.
 */

export async function failingCalls(context: CheckContext): Promise<Figures> {
  const random = new Random(context.seed);
  let open: Combination[] = combinations(context.edition, random);
  const tally = { rounds: 0, touched: 0, endedByItself: 0, refused: 0, acknowledged: 0, unanswered: 0 };
  while (open.length > 0 && !context.extent.isOver(tally.rounds)) {
    const left: Combination[] = [];
    for (const combination of open) {
      if (context.extent.isOver(tally.rounds)) break;
      const n = combination.next();
      if (n === undefined) continue;
      const directory = join(context.directory, `try_${tally.rounds}`);
      Deno.mkdirSync(directory);
      const tried = await failing(context, combination, n, directory, random.fork());
      if (tried.isTouched) tally.touched++;
      else combination.untouched(n);
      if (tried.endedByItself) tally.endedByItself++;
      tally.refused += tried.refused;
      tally.acknowledged += tried.acknowledged;
      tally.unanswered += tried.unanswered;
      tally.rounds++;
      left.push(combination);
      Deno.removeSync(directory, { recursive: true });
    }
    open = left;
  }
  demand("failing calls", tally.rounds, {
    "calls that failed": [tally.touched, tally.rounds / 8],
    acknowledged: [tally.acknowledged, tally.rounds],
    "refused or unanswered": [tally.refused + tally.unanswered, Math.floor(tally.touched / 20)],
  });
  return tally;
}

async function failing(
  { edition }: CheckContext,
  combination: Combination,
  n: number,
  directory: string,
  random: Random,
): ReturnType<typeof tryFailure> {
  const { occasion, call, error, isLasting } = combination;
  const where = `${occasion}: ${call} number ${n}${isLasting ? " and all after it" : ""} fail with ${error}`;
  try {
    return await tryFailure(edition, occasion, combination.injection(n), call, directory, random);
  } catch (error) {
    if (error instanceof AuditFailure) throw new AuditFailure(where, [error.message]);
    throw new Error(where, { cause: error });
  }
}
