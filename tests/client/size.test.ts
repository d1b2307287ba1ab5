import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { inDirectory } from "../support/directory.ts";
import { sources } from "./examples.ts";
import { runDeno } from "../support/run_command.ts";

const ROOT = new URL("../../", import.meta.url);

/** The limit for the minified code that every program loads. */
const BYTES_MAX = 12_000;
/**
 * The limit for the code that the basic methods import on first use, all together: decide, writeOnce,
 * forget, project with one state and with rows, lists of projections, transaction, follow, unix sockets.
 */
const BYTES_MAX_ON_FIRST_USE = 13_700;
/** Limits of features that a program chooses: the code that each imports on first use. */
const BYTES_MAX_OF_FEATURES = {
  "/schemas/codec.ts": 3_200,
  "/snapshots.ts": 3_700,
  "/tracing.ts": 3_000,
  "/consume/consume.ts": 21_500,
  "/consume/consumers.ts": 4_300,
};

const IMPORT = /\bimport\("\.{1,2}(\/[^"]+)"\)/g;

/** Returns the size of the client as one minified module in bytes, with the imports on first use that are wanted. */
async function minifiedBytes(isWanted: (path: string) => boolean): Promise<number> {
  return await inDirectory(async (directory) => {
    for (const path of sources("client/")) {
      await Deno.mkdir(dirname(join(directory, path)), { recursive: true });
      const text = await Deno.readTextFile(new URL(path, ROOT));
      const rewritten = text.replaceAll(IMPORT, (all, path) => isWanted(path) ? all : 'import("node:fs")');
      await Deno.writeTextFile(join(directory, path), rewritten);
    }
    const args = ["bundle", "--quiet", "--no-check", "--minify", "client/mod.ts"];
    const { code, stdout, stderr } = await runDeno(args, { cwd: directory });
    assert.equal(code, 0, stderr);
    return new TextEncoder().encode(stdout).length;
  });
}

Deno.test("the client is small", async () => {
  const modules = sources("client/").map((path) => {
    const imports = Deno.readTextFileSync(new URL(path, ROOT)).matchAll(IMPORT);
    return [path.slice("client".length), [...imports].map(([, imported]) => imported!)] as const;
  });
  const onFirstUse = modules.flatMap(([, imports]) => imports);
  assert.equal(onFirstUse.length, 15, "modules that are imported when they are used");
  const first = await minifiedBytes(() => false);
  assert.ok(first < BYTES_MAX, `${first} bytes`);
  const later = await minifiedBytes((path) => !(path in BYTES_MAX_OF_FEATURES)) - first;
  assert.ok(later < BYTES_MAX_ON_FIRST_USE, `${later} bytes on first use`);
  for (const [feature, most] of Object.entries(BYTES_MAX_OF_FEATURES)) {
    assert.ok(onFirstUse.includes(feature), feature);
    // A module that is itself imported on first use may import the feature.
    const importers = modules.filter(([, imports]) => imports.includes(feature)).map(([path]) => path);
    const without = await minifiedBytes((path) => importers.includes(path));
    const more = await minifiedBytes((path) => path === feature || importers.includes(path)) - without;
    assert.ok(more > 0, feature);
    assert.ok(more < most, `${more} bytes of ${feature}`);
  }
});
