import assert from "node:assert/strict";
import { editionDocument, servedPath, servedText } from "../../tools/openapi/document.ts";
import { EDITION_INTERFACES } from "../../tools/openapi/editions.ts";
import type { JsonObject } from "../../tools/openapi/json.ts";
import { sharedServer } from "../support/server_process.ts";

/* The document that a server sends has its own limits. */

const SETTINGS = { SERVICE_MAX_TAGS_PER_EVENT: "33", SERVICE_MAX_EVENTS_PER_PAGE: "2000" };

for (const edition of EDITION_INTERFACES) {
  const server = sharedServer({ listen: "unix", env: { SERVICE_EDITION: edition.name, ...SETTINGS } });
  const path = servedPath(edition);

  Deno.test(`${path} is what tools/openapi/ makes of edition ${edition.name}`, () => {
    const text = Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
    assert.ok(text === servedText(edition), `${path} is stale: run \`deno task docs\``);
  });

  Deno.test(`edition ${edition.name} sends its document with the limits of its settings`, async () => {
    const reply = await server.client().request("GET", "/openapi.json");
    assert.equal(reply.headers.get("content-type"), "application/json");
    assert.doesNotMatch(reply.text, /"\{\w[^}"]*\}"|undefined/, "no mark is left");
    const sent = reply.json() as JsonObject;
    const same = editionDocument(edition);
    assert.deepEqual([sent["paths"], sent["info"]], [same["paths"], same["info"]]);
    const { NewTags, ReadRequest } = (sent["components"] as { schemas: Record<string, JsonObject> }).schemas;
    assert.equal(NewTags!["maxProperties"], 33);
    const { limit } = ReadRequest!["properties"] as Record<string, JsonObject>;
    assert.deepEqual([limit!["maximum"], limit!["default"]], [2000, 1000]);
    const limits = sent["x-limits"] as JsonObject;
    assert.ok(Object.values(limits).every((value) => Number.isSafeInteger(value)), JSON.stringify(limits));
    assert.equal(limits["maxTagsPerEvent"], 33);
  });
}
