import type { Attack } from "./attack.ts";
import { bodies } from "./bodies.ts";
import { largeWrites } from "./large_writes.ts";
import { queries } from "./queries.ts";
import { resets } from "./resets.ts";
import { unfinishedBodies } from "./unfinished_bodies.ts";

/** Every attack, in the order of the table. */
export const ATTACKS: readonly Attack[] = [
  ...resets,
  ...bodies,
  ...unfinishedBodies,
  ...largeWrites,
  ...queries,
];
