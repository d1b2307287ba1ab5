import type { Random } from "../workload/random.ts";
import type { Survival } from "./disk.ts";

/*
 * The ways in which unsynced changes survive a power cut. Disks write in any order and by sectors, so every subset is
 * possible. Real disks most often leave the first changes.
 */

export const WAYS = ["all", "none", "first ones", "some", "torn"] as const;

export type Way = (typeof WAYS)[number];

export function survivalOf(way: Way, random: Random): Survival {
  const someNames = (pending: number): number => random.below(pending + 1);
  switch (way) {
    case "all":
      return { names: (pending) => pending, change: () => true };
    case "none":
      return { names: () => 0, change: () => false };
    case "first ones": {
      // In order, up to one that is torn in the middle.
      const part = random.below(1001) / 1000;
      const sectors = random.below(9);
      let first: number | undefined;
      const isBefore = (sector: number): boolean => sector < (first ??= sector) + sectors;
      return {
        names: someNames,
        change(index, pending) {
          const last = Math.floor(part * pending);
          return index === last ? isBefore : index < last;
        },
      };
    }
    case "some":
      return { names: someNames, change: () => random.chance(0.5) };
    case "torn":
      return {
        names: (pending) => pending,
        change: () => random.chance(0.7) || (() => random.chance(0.5)),
      };
  }
}
