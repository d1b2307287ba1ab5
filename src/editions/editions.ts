import type { ServerSettings } from "../config/load.ts";
import { editionA } from "./a_write/edition_a.ts";
import { editionB } from "./b_tx/edition_b.ts";
import type { Edition } from "./edition.ts";

/** The editions that exist, by the value of the setting `edition`. */
export const editions: Readonly<Partial<Record<ServerSettings["edition"], Edition>>> = {
  A: editionA,
  B: editionB,
};
