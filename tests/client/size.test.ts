import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { inDirectory } from "../support/directory.ts";
import { sources } from "./examples.ts";
import { runDeno } from "../support/run_command.ts";

const ROOT = new URL("../../", import.meta.url);

/** The limit for the minified code that every program loads. */
const BYTES_MAX = 12_000;
/**
 * The limit with all code that is imported on first use: decide, writeOnce, forget, project with one state and with rows,
 * lists of projections, transaction, follow, unix sockets.
 */
const BYTES_MAX_OF_ALL = 24_500;

/** Returns the size of the client as one minified module in bytes. `rewrite` may change each source before. */
async function minifiedBytes(rewrite: (text: string) => string): Promise<number> {
  return await inDirectory(async (directory) => {
    for (const path of sources("client/")) {
      await Deno.mkdir(dirname(join(directory, path)), { recursive: true });
      await Deno.writeTextFile(join(directory, path), rewrite(await Deno.readTextFile(new URL(path, ROOT))));
    }
    const args = ["bundle", "--quiet", "--no-check", "--minify", "client/mod.ts"];
    const { code, stdout, stderr } = await runDeno(args, { cwd: directory });
    assert.equal(code, 0, stderr);
    return new TextEncoder().encode(stdout).length;
  });
}

Deno.test("the client is small", async () => {
  let left = 0;
  const first = await minifiedBytes((text) =>
    text.replaceAll(/\bimport\("\.\/[^"]+"\)/g, () => {
      left++;
      return 'import("node:fs")';
    })
  );
  assert.equal(left, 9, "modules that are imported when they are used");
  assert.ok(first < BYTES_MAX, `${first} bytes`);
  const all = await minifiedBytes((text) => text);
  assert.ok(all < BYTES_MAX_OF_ALL, `${all} bytes with all modules`);
});
