import type { Random } from "../workload/random.ts";

/** The same in another order, which the seed chooses. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items.map((item) => ({ item, at: random.below(2 ** 32) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
