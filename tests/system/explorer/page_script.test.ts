import assert from "node:assert/strict";
import { builtPage } from "../../../explorer/server/page_files.ts";
import { pageScript } from "../../../tools/explorer/page_script.ts";
import { explainDownload } from "../support/download.ts";

const BYTES_MAX = 150_000;

Deno.test("the script of the page is made of its sources", async () => {
  const made = await pageScript().catch(explainDownload("the bundler"));
  assert.ok(builtPage.script === made, "run deno task explore:page");
});

Deno.test("the page is small", () => {
  const bytes = new TextEncoder().encode(Object.values(builtPage).join("")).length;
  assert.ok(bytes < BYTES_MAX, `${bytes} bytes`);
});
