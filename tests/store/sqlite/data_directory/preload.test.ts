import assert from "node:assert/strict";
import { fillStore, openWriter } from "../../../../bench/fill_store.ts";
import { storePaths } from "../../../../src/store/sqlite/data_directory/database_file.ts";
import { Preload } from "../../../../src/store/sqlite/data_directory/preload.ts";
import { TestDirectory } from "../../test_store.ts";

/**
 * The locks of this process on a file, by its descriptors. In `/proc/locks`, a reader can miss a lock while other
 * processes change theirs. Lines of fdinfo: "lock:\t1: POSIX  ADVISORY  READ 2898 fe:00:770086 1 9".
 */
function locksOn(path: string): number {
  const lock = new RegExp(`^lock:.* \\w+:\\w+:${Deno.statSync(path).ino} `, "gm");
  return [...Deno.readDirSync("/proc/self/fd")].flatMap(({ name }) => fdInfo(name).match(lock) ?? []).length;
}

/** Empty for a descriptor that is closed by now, such as that of the list itself. */
function fdInfo(descriptor: string): string {
  try {
    return Deno.readTextFileSync(`/proc/self/fdinfo/${descriptor}`);
  } catch {
    return "";
  }
}

Deno.test({
  name: "SQLite keeps its lock on the file after the preload has read it",
  ignore: Deno.build.os !== "linux",
  fn() {
    using directory = new TestDirectory();
    fillStore(directory.path, 1000);
    const path = storePaths(directory.path).database;
    const writer = openWriter(path);
    const preload = Preload.open(path, Infinity);
    while (preload.slice());
    assert.equal(locksOn(path), 1);
    writer.close();
    preload.close();
    assert.equal(locksOn(path), 0);
  },
});
