import assert from "node:assert/strict";
import { VERSION } from "../../src/config/version.ts";
import { trackedFiles } from "../support/tracked_files.ts";

const ROOT = new URL("../../", import.meta.url);

/** Files of packages for other languages, each with the place of its version. */
const PACKAGES: readonly (readonly [RegExp, RegExp])[] = [
  [/^integrations\/python\/pyproject\.toml$/, /^version = "(.*)"$/m],
  // The first version of a module is that of its parent.
  [/^integrations\/axon\/(?:[\w-]+\/)*pom\.xml$/, /<version>(.*)<\/version>/],
];

Deno.test("each package for another language has the version of the server", async () => {
  const tracked = await trackedFiles(ROOT.pathname);
  for (const [files, version] of PACKAGES) {
    const found = tracked.filter((path) => files.test(path));
    assert.ok(found.length > 0, String(files));
    for (const path of found) {
      const text = await Deno.readTextFile(new URL(path, ROOT));
      assert.equal(version.exec(text)?.[1], VERSION, path);
    }
  }
});
