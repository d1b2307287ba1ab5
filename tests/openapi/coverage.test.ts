import assert from "node:assert/strict";
import { documentPath, documentText, editionDocument } from "../../tools/openapi/document.ts";
import { EDITION_INTERFACES } from "../../tools/openapi/editions.ts";
import type { JsonObject } from "../../tools/openapi/json.ts";
import { ERROR_CODES } from "../../tools/openapi/errors.ts";
import { errorsOf, nameOf } from "../../tools/openapi/operation.ts";
import { contractA } from "../editions/contract/a.ts";
import { contractB } from "../editions/contract/b.ts";
import { contractC } from "../editions/contract/c.ts";
import { methodsOf, withoutHead } from "./methods.ts";

/* The documents are complete, and document nothing that does not exist. */

const CONTRACTS = { A: contractA, B: contractB, C: contractC };

/** Paths that the contract of the editions, which defines the methods of each path, does not list one by one. */
const PROFILES = ["/debug/pprof/profile", "/debug/pprof/heap", "/debug/pprof/cmdline"];

/** True if a documented path, with its parameters, matches the path of a request. */
function fits(path: string, documented: string): boolean {
  const [parts, pattern] = [path.split("/"), documented.split("/")];
  return parts.length === pattern.length &&
    pattern.every((part, i) => part.startsWith("{") || part === parts[i]);
}

for (const edition of EDITION_INTERFACES) {
  const path = documentPath(edition);

  Deno.test(`${path} is what tools/openapi/ makes of edition ${edition.name}`, () => {
    const text = Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
    assert.ok(text === documentText(edition), `${path} is stale: run \`deno task docs\``);
  });

  Deno.test(`edition ${edition.name}: the paths of its contract are documented, and no others`, () => {
    const documented = methodsOf(edition);
    const seen = new Set(PROFILES);
    for (const [path, methods] of CONTRACTS[edition.name].paths) {
      const [only, ...others] = [...documented.keys()].filter((pattern) => fits(path, pattern));
      assert.ok(only !== undefined && others.length === 0, path);
      assert.deepEqual(documented.get(only), withoutHead(methods), path);
      seen.add(only);
    }
    assert.deepEqual([...documented.keys()].sort(), [...seen].sort());
  });

  Deno.test(`edition ${edition.name}: every operation has an example, but for profiles`, () => {
    const shown = new Set(edition.exchanges.map(({ operation }) => operation));
    const bare = edition.operations.map(nameOf).filter((name) => !shown.has(name) && !name.includes("pprof"));
    assert.deepEqual(bare, []);
    const known = new Set(edition.operations.map(nameOf));
    assert.deepEqual([...shown].filter((name) => !known.has(name)), []);
    assert.equal(new Set(edition.exchanges.map(({ name }) => name)).size, edition.exchanges.length, "names");
  });

  Deno.test(`edition ${edition.name}: the copy for generators that do not know QUERY has each of them`, () => {
    const queries = edition.operations.filter(({ method }) => method === "QUERY");
    assert.equal(documentText(edition).match(/^ {4}query:$/gm)?.length, queries.length);
    assert.ok(!documentText(edition).includes("    put:\n"));
  });

  Deno.test(`edition ${edition.name}: what is referred to is there, and what is there is referred to`, () => {
    const document = editionDocument(edition);
    const text = JSON.stringify(document);
    const references = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)].map(([, name]) => name),
    );
    const components = Object.entries(document["components"] as JsonObject)
      .filter(([kind]) => kind !== "securitySchemes")
      .flatMap(([kind, members]) => Object.keys(members as JsonObject).map((name) => `${kind}/${name}`));
    assert.deepEqual(components.toSorted(), [...references].sort());
  });
}

Deno.test("every error code is documented in some edition", () => {
  const documented = new Set(EDITION_INTERFACES.flatMap(({ operations }) => operations.flatMap(errorsOf)));
  assert.deepEqual([...documented].sort(), ERROR_CODES.toSorted());
});
