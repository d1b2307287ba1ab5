import type { EditionName } from "../workload/perform.ts";
import type { Random } from "../workload/random.ts";

/*
 * Which system call fails, how, at which occasion, and the how manieth of them.
 */

export const OCCASIONS = [
  "first start",
  "write",
  "projections",
  "checkpoint",
  "read",
  "reset",
  "optimize",
  "stop",
] as const;

export type Occasion = (typeof OCCASIONS)[number];

/** The first three come at nearly every occasion, so a short run begins with them. */
const CALLS = ["pwrite64", "fsync", "pread64", "openat", "ftruncate", "unlink"];
const FREQUENT = 3;
const ERRORS = ["EIO", "ENOSPC"];

/** The first ones are tried in random order, so that a short run comes to each of them. */
const SHUFFLED = 6;

/** Beyond that it is the same loop again. */
const N_MAX = 60;

/** One call that fails at one occasion: alone, or from then on. */
export class Combination {
  readonly occasion: Occasion;
  readonly call: string;
  readonly error: string;
  readonly isLasting: boolean;
  readonly #waiting: number[];
  #untouchedFrom = N_MAX + 1;
  #last = SHUFFLED;

  constructor(occasion: Occasion, call: string, error: string, isLasting: boolean, random: Random) {
    this.occasion = occasion;
    this.call = call;
    this.error = error;
    this.isLasting = isLasting;
    this.#waiting = shuffled(Array.from({ length: SHUFFLED }, (_, i) => i + 1), random);
  }

  /** What to try next; undefined when all that can be met were tried. */
  next(): number | undefined {
    for (let n = this.#waiting.shift(); n !== undefined; n = this.#waiting.shift()) {
      if (n < this.#untouchedFrom) return n;
    }
    const next = ++this.#last;
    return next < this.#untouchedFrom ? next : undefined;
  }

  /** The n-th call was never made, and so none after it. */
  untouched(n: number): void {
    this.#untouchedFrom = Math.min(this.#untouchedFrom, n);
  }

  /** As the tracer takes it. */
  injection(n: number): string {
    return `${this.call}:error=${this.error}:when=${n}${this.isLasting ? "+" : ""}`;
  }
}

export function combinations(edition: EditionName, random: Random): Combination[] {
  const occasions = OCCASIONS.filter((occasion) => edition !== "A" || occasion !== "optimize");
  const of = (calls: readonly string[]): Combination[] =>
    occasions.flatMap((occasion) =>
      calls.flatMap((call) =>
        ERRORS.flatMap((error) =>
          [false, true].map((isLasting) => new Combination(occasion, call, error, isLasting, random))
        )
      )
    );
  return [CALLS.slice(0, FREQUENT), CALLS.slice(FREQUENT)].flatMap((calls) => shuffled(of(calls), random));
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items.map((item) => ({ item, at: random.below(2 ** 32) })).sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
