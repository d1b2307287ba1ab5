import type { Attack } from "./attack.ts";
import { bodies } from "./bodies.ts";
import { resets } from "./resets.ts";

/** Every attack, in the order of the table. */
export const ATTACKS: readonly Attack[] = [...resets, ...bodies];
