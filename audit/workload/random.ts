/** Random choices, the same ones for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below `below`. */
  below(below: number): number {
    return Math.floor(this.#next() * below);
  }

  chance(part: number): boolean {
    return this.#next() < part;
  }

  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new Error("nothing to choose from");
    return choices[this.below(choices.length)]!;
  }

  /** Another series, which does not depend on how much of this one is used later. */
  fork(): Random {
    return new Random(this.below(2 ** 32));
  }

  /** The generator mulberry32, which passes the usual tests of randomness, unlike the low bits of simpler ones. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Shuffles the items, in an order that the seed determines. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items.map((item) => ({ item, at: random.below(2 ** 32) })).sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
