import type { Attack } from "./attack.ts";
import { bodies } from "./bodies.ts";
import { files } from "./files.ts";
import { largeWrites } from "./large_writes.ts";
import { queries } from "./queries.ts";
import { resets } from "./resets.ts";
import { tickets } from "./tickets.ts";
import { unfinishedBodies } from "./unfinished_bodies.ts";
import { webPages } from "./web_pages.ts";

/** Every attack, in the order of the table. */
export const ATTACKS: readonly Attack[] = [
  ...resets,
  ...bodies,
  ...unfinishedBodies,
  ...largeWrites,
  ...queries,
  ...tickets,
  ...files,
  ...webPages,
];
