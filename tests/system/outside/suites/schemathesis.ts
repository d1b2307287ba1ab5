import { EDITION_INTERFACES } from "../../../../tools/openapi/editions.ts";
import { missingForPython } from "../../support/python_install.ts";
import { checkEdition } from "../../openapi/schemathesis.ts";
import { pinnedIn } from "../pinned.ts";
import type { Outcome, Suite } from "../suite.ts";
import { outcomeOf, outcomeOfSchemathesis } from "../summaries.ts";

/* Schemathesis makes requests from the OpenAPI document of each edition: more than in the system tests. */

const REQUESTS_MAX = 300;

/** In Python 3.11 the tool sometimes breaks when two of its threads parse Python at once. */
const ONE_THREAD = ["--workers", "1"];

export const SCHEMATHESIS: readonly Suite[] = EDITION_INTERFACES.map(({ name }) => ({
  word: "schemathesis",
  name: `schemathesis, edition ${name}`,
  version: pinnedIn("tests/system/support/requirements/schemathesis.txt", "schemathesis"),
  random: true,
  run: () => run(name),
}));

async function run(edition: string): Promise<Outcome> {
  const missing = await missingForPython();
  if (missing !== undefined) throw new Error(missing);
  return outcomeOf(outcomeOfSchemathesis, await checkEdition(edition, REQUESTS_MAX, ...ONE_THREAD));
}
