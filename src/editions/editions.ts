import type { ServerSettings } from "../config/load.ts";
import { editionA } from "./a_write/edition_a.ts";
import { editionB } from "./b_tx/edition_b.ts";
import { editionC } from "./c_ticket/edition_c.ts";
import type { Edition } from "./edition.ts";

/** The editions by the value of the setting `edition`. */
export const editions: Readonly<Record<ServerSettings["edition"], Edition>> = {
  A: editionA,
  B: editionB,
  C: editionC,
};
