import assert from "node:assert/strict";
import { join } from "node:path";
import { documentPath, documentText, editionDocument } from "../../../tools/openapi/document.ts";
import { EDITION_INTERFACES } from "../../../tools/openapi/editions.ts";
import { REPOSITORY } from "../../packaging/dockerfile.ts";
import { explainDownload } from "../support/download.ts";
import { runDeno } from "../../support/run_command.ts";

/* An independent linter reads the documents. It knows OpenAPI 3.2, with the method `query` and `itemSchema`. */

const LINTER = "npm:@redocly/cli@2.77.0";

/**
 * All its recommended rules except two: no document says under which licence the interface is, and one path ends so.
 */
const RULES = ["--extends=recommended", "--skip-rule=info-license", "--skip-rule=no-path-trailing-slash"];

interface Problem {
  readonly ruleId: string;
  readonly message: string;
}

/** The standard output of the linter, which ends with 1 when a document is not valid. */
async function linter(...args: string[]): Promise<string> {
  const { stdout, stderr } = await runDeno(
    ["run", "--quiet", "--no-config", "--no-lock", "--allow-all", LINTER, ...args],
    { env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
  );
  if (stdout === "") explainDownload("the linter")(new Error(stderr));
  return stdout;
}

async function problemsOf(path: string): Promise<readonly Problem[]> {
  const printed = await linter("lint", path, ...RULES, "--format=json");
  return (JSON.parse(printed) as { problems: Problem[] }).problems;
}

for (const edition of EDITION_INTERFACES) {
  const path = join(REPOSITORY, documentPath(edition));

  Deno.test(`a linter has nothing to say about the document of edition ${edition.name}`, async () => {
    assert.deepEqual(await problemsOf(path), []);
  });

  Deno.test(`the linter reads the document of edition ${edition.name} as it was written`, async () => {
    assert.deepEqual(JSON.parse(await linter("bundle", path, "--ext=json")), editionDocument(edition));
  });
}

const NEWER: readonly (readonly [what: string, text: string, changed: string, message: RegExp])[] = [
  ["the method query", "\n    query:\n", "\n    qurey:\n", /`qurey` is not expected/],
  ["itemSchema", "itemSchema:", "itemsSchema:", /`itemsSchema` is not expected/],
  ["the difference from 3.1", 'openapi: "3.2.0"', 'openapi: "3.1.2"', /`query` is not expected/],
];

for (const [what, text, changed, message] of NEWER) {
  Deno.test(`the linter knows ${what}`, async () => {
    const directory = await Deno.makeTempDir({ prefix: "eventstore_openapi_" });
    try {
      const right = documentText(EDITION_INTERFACES[0]!);
      assert.ok(right.includes(text));
      const path = join(directory, "wrong.yaml");
      await Deno.writeTextFile(path, right.replace(text, changed));
      assert.match((await problemsOf(path)).map(({ message }) => message).join("\n"), message);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });
}
