import assert from "node:assert/strict";
import { EDITION_INTERFACES } from "../../../tools/openapi/editions.ts";
import { pythonTest } from "../support/python_tools.ts";
import { checkEdition, runSchemathesis, type Schema, simplerReads } from "./schemathesis.ts";

/** Random requests for each operation. Other requests try each keyword of each schema. Edition A has the fewest. */
const RANDOM_MAX: Readonly<Record<string, number>> = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1"
  ? { A: 40, B: 40, C: 40 }
  : { A: 40, B: 10, C: 10 };

for (const { name } of EDITION_INTERFACES) {
  pythonTest(`edition ${name} answers the requests of Schemathesis as its document says`, async () => {
    const { code, stdout, stderr } = await checkEdition(name, RANDOM_MAX[name]!);
    assert.equal(code, 0, stdout + stderr);
    const cases = Number(/(\d+) generated/.exec(stdout)?.[1]);
    assert.ok(cases >= 1000, stdout);
  });
}

pythonTest("Schemathesis notices a document that forbids what the server accepts", async () => {
  const forbidNull = (schemas: Record<string, Schema>): void => {
    simplerReads(schemas);
    schemas["ReadRequest"]!.properties!["limit"] = { type: "integer", minimum: 1 };
  };
  const { code, stdout } = await runSchemathesis(
    "A",
    forbidNull,
    "--include-path",
    "/events",
    "--max-examples",
    "1",
  );
  assert.equal(code, 1, stdout);
  assert.match(stdout, /QUERY \/events[^]*Schema-violating request accepted[^]*limit: Incorrect type/);
});
