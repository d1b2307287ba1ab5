import { type Random, shuffled } from "../workload/random.ts";

/*
 * Trials: which system call fails at which occasion, which call of the sequence (n), with which error, and for how
 * long.
 */

/** `twice`: the next call of its kind fails too, so that the repair of the first failure fails as well. */
export type Span = "once" | "twice" | "lasting";

export interface Trial {
  readonly occasion: string;
  readonly call: string;
  readonly n: number;
  readonly error: "EIO" | "ENOSPC";
  readonly span: Span;
}

const ERRORS = ["EIO", "ENOSPC"] as const;

/** The number of calls of each kind at an occasion when none fails. */
export type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Every n-th call of every kind at every occasion, in an order that the seed determines. First come the calls that are
 * made when none fails, then further ones, until there is no n-th call.
 */
export class Trials {
  readonly #waiting: Trial[];
  /** Trials beyond the calls that were counted. */
  readonly #beyond = new Set<Trial>();
  readonly #spans: readonly Span[];
  readonly #nMax: number;

  /** @param nMax later calls of a kind are not tried: they are the same loop again */
  constructor(
    counts: Counts,
    calls: readonly string[],
    spans: readonly Span[],
    random: Random,
    nMax: number,
  ) {
    this.#spans = spans;
    this.#nMax = nMax;
    const known: Trial[][] = [];
    for (const [occasion, its] of counts) {
      for (const call of calls) {
        const count = Math.min(its.get(call) ?? 0, nMax);
        const all = Array.from({ length: count }, (_, i) => this.#all(occasion, call, i + 1)).flat();
        known.push(shuffled(all, random));
        this.#addBeyond(occasion, call, count + 1);
      }
    }
    // A short run tries calls of every kind that are actually made.
    this.#waiting = [...inTurns(shuffled(known, random)), ...shuffled([...this.#beyond], random)];
  }

  get left(): number {
    return this.#waiting.length;
  }

  next(): Trial | undefined {
    return this.#waiting.shift();
  }

  /** @param isTouched true when the call was made, and failed */
  tried(trial: Trial, isTouched: boolean): void {
    if (!this.#beyond.delete(trial) || !isTouched) return;
    const { occasion, call, n } = trial;
    const isOther = ({ error, span }: Trial): boolean => error !== trial.error || span !== trial.span;
    this.#waiting.push(...this.#all(occasion, call, n).filter(isOther));
    const next = this.#addBeyond(occasion, call, n + 1);
    if (next !== undefined) this.#waiting.push(next);
  }

  #addBeyond(occasion: string, call: string, n: number): Trial | undefined {
    if (n > this.#nMax) return undefined;
    const trial: Trial = { occasion, call, n, error: "EIO", span: "lasting" };
    this.#beyond.add(trial);
    return trial;
  }

  #all(occasion: string, call: string, n: number): Trial[] {
    return ERRORS.flatMap((error) => this.#spans.map((span) => ({ occasion, call, n, error, span })));
  }
}

/** The first of each list, then the second of each, and so on. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}

/** The injection in the syntax of the tracer. */
export function injectionOf({ call, n, error, span }: Trial): string {
  const when = { once: `${n}`, twice: `${n}..${n + 1}`, lasting: `${n}+` }[span];
  return `${call}:error=${error}:when=${when}`;
}

/** The trial in words, for people. */
export function trialText({ occasion, call, n, error, span }: Trial): string {
  const more = { once: " fails", twice: " and the next one fail", lasting: " and all after it fail" }[span];
  return `${occasion}: ${call} number ${n}${more} with ${error}`;
}
