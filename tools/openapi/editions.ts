import { EDITION_A } from "./editions/edition_a.ts";
import { EDITION_B } from "./editions/edition_b.ts";
import { EDITION_C } from "./editions/edition_c.ts";
import type { EditionInterface } from "./edition_interface.ts";

/** The editions, each of which has a document. */
export const EDITION_INTERFACES: readonly EditionInterface[] = [EDITION_A, EDITION_B, EDITION_C];
