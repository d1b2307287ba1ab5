import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { debianTest } from "../support/debian_program.ts";

const PROGRAMME = fileURLToPath(new URL("../../../audit/main.ts", import.meta.url));

await debianTest(["strace"], "the audit in its short form finds nothing", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--allow-all", PROGRAMME, "quick"],
    stdin: "null",
  }).output();
  assert.ok(success, [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join(""));
});
