import assert from "node:assert/strict";
import {
  lockDataDirectory,
  makeDataDirectory,
} from "../../../../src/store/sqlite/data_directory/data_directory.ts";
import { StoreFileError } from "../../../../src/store/sqlite/data_directory/database_file.ts";
import { TestDirectory } from "../../test_store.ts";

const modeOf = (path: string): number => Deno.statSync(path).mode! & 0o777;

/** Tries to take the lock in another process. */
async function lockedElsewhere(dataDir: string): Promise<boolean> {
  const module =
    new URL("../../../../src/store/sqlite/data_directory/data_directory.ts", import.meta.url).href;
  const script = `import { lockDataDirectory } from "${module}";
    try { lockDataDirectory(Deno.args[0]); console.log("free"); } catch (error) { console.log(error.name); }`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", script, dataDir],
    stderr: "inherit",
  }).output();
  const answer = new TextDecoder().decode(stdout).trim();
  assert.ok(answer === "free" || answer === "StoreFileError", answer);
  return answer !== "free";
}

for (const mask of [0o000, 0o077, 0o177]) {
  Deno.test(`a missing data directory gets mode 0700, with umask ${mask.toString(8).padStart(3, "0")}`, () => {
    using directory = new TestDirectory();
    const dataDir = directory.file("data");
    const before = Deno.umask(mask);
    try {
      makeDataDirectory(dataDir);
    } finally {
      Deno.umask(before);
    }
    assert.equal(modeOf(dataDir), 0o700);
  });
}

Deno.test("missing directories above the data directory are created too; an existing one keeps its mode", () => {
  using directory = new TestDirectory();
  const dataDir = directory.file("a/b/data");
  makeDataDirectory(dataDir);
  assert.equal(Deno.statSync(dataDir).isDirectory, true);
  Deno.chmodSync(dataDir, 0o755);
  makeDataDirectory(`${dataDir}/`);
  assert.equal(modeOf(dataDir), 0o755);
});

Deno.test("every directory that is created is made durable in the one above it", () => {
  using directory = new TestDirectory();
  const { openSync } = Deno;
  const synced: string[] = [];
  const spy = (path: string | URL, options?: Deno.OpenOptions): Deno.FsFile => {
    const file = openSync(path, options);
    const syncSync = (): void => void synced.push(String(path));
    return Object.assign(file, { syncSync });
  };
  try {
    Object.assign(Deno, { openSync: spy });
    makeDataDirectory(directory.file("a/b/data/"));
  } finally {
    Object.assign(Deno, { openSync });
  }
  assert.deepEqual(synced.toSorted(), ["", "a", "a/b"].map((name) => directory.file(name)));
});

Deno.test("something that is not a directory in its place is rejected in one line, and stays", () => {
  using directory = new TestDirectory();
  Deno.writeTextFileSync(directory.file("file"), "content");
  for (const dataDir of [directory.file("file"), directory.file("file/data")]) {
    assert.throws(() => makeDataDirectory(dataDir), (error) => {
      assert.ok(error instanceof StoreFileError);
      assert.ok(error.message.includes(dataDir) && !error.message.includes("\n"), error.message);
      return true;
    });
  }
  assert.equal(Deno.readTextFileSync(directory.file("file")), "content");
});

Deno.test("the lock keeps every other process out until it is disposed of", async () => {
  using directory = new TestDirectory();
  assert.equal(await lockedElsewhere(directory.path), false, "the end of a process frees its lock");
  {
    using _lock = lockDataDirectory(directory.path);
    assert.equal(await lockedElsewhere(directory.path), true);
  }
  assert.equal(await lockedElsewhere(directory.path), false);
});

Deno.test("the lock keeps a second holder in the same process out, and says which directory it is", () => {
  using directory = new TestDirectory();
  using _lock = lockDataDirectory(directory.path);
  assert.throws(() => lockDataDirectory(directory.path), (error) => {
    assert.ok(error instanceof StoreFileError);
    assert.ok(error.message.includes(directory.path) && error.message.includes("in use"), error.message);
    return true;
  });
});

Deno.test("a directory in which no lock file can be created is rejected", () => {
  using directory = new TestDirectory();
  assert.throws(() => lockDataDirectory(directory.file("missing")), StoreFileError);
});

Deno.test("a data directory or a lock that is a link to nothing is rejected, and the link stays as it is", () => {
  using directory = new TestDirectory();
  const link = directory.file("link");
  Deno.symlinkSync("not-mounted", link);
  for (const dataDir of [link, `${link}/`, directory.file("link/data")]) {
    assert.throws(() => makeDataDirectory(dataDir), (error) => {
      assert.ok(error instanceof StoreFileError);
      assert.ok(
        error.message.startsWith(`the data directory ${dataDir} cannot be created: ${link}`),
        error.message,
      );
      assert.match(error.message, / is a link to not-mounted, which does not exist$/);
      return true;
    });
  }
  Deno.renameSync(link, directory.file("events.lock"));
  assert.throws(
    () => lockDataDirectory(directory.path),
    /events\.lock is a link to not-mounted, which does not/,
  );
  const names = [...Deno.readDirSync(directory.path)].map(({ name }) => name);
  assert.deepEqual(names, ["events.lock"], "nothing was created at the end of the link");
});
