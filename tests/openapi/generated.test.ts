import assert from "node:assert/strict";
import { documentPath, documentText } from "../../tools/openapi/document.ts";
import { EDITION_INTERFACES } from "../../tools/openapi/editions.ts";

for (const edition of EDITION_INTERFACES) {
  const path = documentPath(edition);

  Deno.test(`${path} is what tools/openapi/ makes of edition ${edition.name}`, () => {
    const text = Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
    assert.ok(text === documentText(edition), `${path} is stale: run \`deno task docs\``);
  });
}
