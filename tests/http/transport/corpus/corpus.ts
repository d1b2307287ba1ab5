import { bodies } from "./bodies.ts";
import { compliance } from "./compliance.ts";
import type { CorpusCase } from "./corpus_case.ts";
import { limits } from "./limits.ts";
import { malformed } from "./malformed.ts";
import { normalisation } from "./normalisation.ts";
import { smuggling } from "./smuggling.ts";

export const corpus: Readonly<Record<string, readonly CorpusCase[]>> = {
  compliance,
  smuggling,
  malformed,
  normalisation,
  bodies,
  limits,
};
