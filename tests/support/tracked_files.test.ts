import assert from "node:assert/strict";
import { join } from "node:path";
import { trackedFiles } from "./tracked_files.ts";

Deno.test("where git tracks nothing, the files are those that .gitignore does not name", async () => {
  const root = await Deno.makeTempDir({ prefix: "eventstore_tracked_" });
  try {
    const files = [
      ".gitignore",
      "a.ts",
      "sub/b.ts",
      "sub/data/c",
      "data/d",
      "e.log",
      "sub/f.log",
      "sub/cache/g",
    ];
    for (const path of files) {
      await Deno.mkdir(join(root, path, ".."), { recursive: true });
      await Deno.writeTextFile(join(root, path), path === ".gitignore" ? "/data/\n*.log\ncache/\n" : "");
    }
    assert.deepEqual((await trackedFiles(root)).toSorted(), [".gitignore", "a.ts", "sub/b.ts", "sub/data/c"]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
