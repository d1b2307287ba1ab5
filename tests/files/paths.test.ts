import assert from "node:assert/strict";
import { posix } from "node:path";
import { backupPath } from "../../src/backup/directory/backup_files.ts";
import { lockBackups } from "../../src/backup/directory/backup_lock.ts";
import { absolutePath, directoryOf, fromRoot, nameOf, pathIn } from "../../src/files/paths.ts";
import { readPauseFile, writePauseFile } from "../../src/store/core/pause_file.ts";
import { TestDirectory } from "../store/test_store.ts";

Deno.test("a directory is taken as it is written, but for slashes at its end", () => {
  assert.equal(pathIn("/x/link/../data", "events.db"), "/x/link/../data/events.db");
  assert.equal(pathIn("./data//", "events.db"), "./data/events.db");
  assert.equal(pathIn("/", "events.db"), "/events.db");
});

Deno.test("directories, names and absolute paths are those of node:path", () => {
  for (
    const path of ["", "a", "a/b", "./a", "../a/b.c", "/", "//", "/a", "/a/", "/a/b", "/a/b/", "/a/b.c/../d"]
  ) {
    assert.equal(directoryOf(path), posix.dirname(path), path);
    assert.equal(absolutePath(path), posix.resolve(path), path);
    if (!path.endsWith("/")) assert.equal(nameOf(path), posix.basename(path), path);
  }
  assert.equal(directoryOf("/a//b"), "/a");
  assert.equal(absolutePath("//a/./b//../../../c"), "/c");
});

Deno.test("pauses and backups are kept in the parent of a link's target, not of the link", async () => {
  using directory = new TestDirectory();
  Deno.mkdirSync(directory.file("target/inner"), { recursive: true });
  Deno.mkdirSync(directory.file("target/data"));
  Deno.symlinkSync("target/inner", directory.file("link"));
  const dataDir = `${directory.path}/link/../data`;

  const since = await writePauseFile(dataDir);
  assert.equal(readPauseFile(directory.file("target/data")), since);
  lockBackups(dataDir)[Symbol.dispose]();
  assert.equal(Deno.statSync(directory.file("target/data/backup.lock")).isFile, true);
  Deno.writeTextFileSync(directory.file("target/data/x.db"), "");
  assert.equal(Deno.statSync(backupPath(dataDir, "x")).isFile, true);
});

Deno.test("a path from the root leads where the path leads", () => {
  const here = Deno.cwd();
  for (
    const [path, expected] of [
      ["/a/../b/", "/a/../b/"],
      ["a", `${here}/a`],
      ["./a", `${here}/a`],
      [".//./a/./b", `${here}/a/./b`],
      ["../a", `${here}/../a`],
      [".a", `${here}/.a`],
    ] as const
  ) {
    assert.equal(fromRoot(path), expected);
  }
});
