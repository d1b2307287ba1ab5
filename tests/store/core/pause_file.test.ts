import assert from "node:assert/strict";
import { isThere } from "../../../src/files/is_there.ts";
import { readPauseFile, removePauseFile, writePauseFile } from "../../../src/store/core/pause_file.ts";
import { TestDirectory } from "../test_store.ts";

Deno.test("no file: not paused; removing it is no error", async () => {
  using directory = new TestDirectory();
  assert.equal(readPauseFile(directory.path), undefined);
  await removePauseFile(directory.path);
  assert.deepEqual([...Deno.readDirSync(directory.path)], []);
});

Deno.test("the written moment is read back, until the file is removed", async () => {
  using directory = new TestDirectory();
  const before = Date.now() - 20;
  const since = await writePauseFile(directory.path);
  assert.ok(since / 1000 >= before && since / 1000 <= Date.now() + 20, String(since));
  assert.ok(Number.isSafeInteger(since));
  assert.equal(readPauseFile(directory.path), since);
  const { mode, mtime } = Deno.statSync(directory.file("service.paused"));
  assert.equal((mode ?? 0) & 0o777, 0o600);
  assert.equal(mtime!.getTime() * 1000, since);
  assert.match(Deno.readTextFileSync(directory.file("service.paused")), /POST \/resume/);
  await removePauseFile(directory.path);
  assert.equal(readPauseFile(directory.path), undefined);
});

Deno.test("only the existence of the file and its modification time count, not its content", async () => {
  using directory = new TestDirectory();
  const path = directory.file("service.paused");
  Deno.writeTextFileSync(path, "");
  Deno.utimeSync(path, 1_700_000_000, 1_700_000_000.5);
  assert.equal(readPauseFile(directory.path), 1_700_000_000_500_000);
  assert.ok(
    await writePauseFile(directory.path) > 1_700_000_000_500_000,
    "a pause that is made anew has its own time",
  );
});

Deno.test("anything else with the name of the file is rejected: no pause could begin or end there", () => {
  using directory = new TestDirectory();
  const path = directory.file("service.paused");
  for (
    const make of [
      () => Deno.mkdirSync(path),
      () => Deno.symlinkSync("nowhere", path),
      () => Deno.symlinkSync(path, path),
    ]
  ) {
    make();
    assert.throws(() => readPauseFile(directory.path), { message: `${path} is not a regular file` });
    Deno.removeSync(path);
  }
});

Deno.test("a pause that cannot be written is reported, and nothing of it is left", async () => {
  using directory = new TestDirectory();
  Deno.mkdirSync(directory.file("service.paused"));
  await assert.rejects(() => writePauseFile(directory.path));
  assert.equal(readPauseFile(directory.path), undefined);
  await assert.rejects(() => writePauseFile(directory.file("absent")), Deno.errors.NotFound);
});

Deno.test("a pause whose file cannot be removed is reported, and continues", async () => {
  using directory = new TestDirectory();
  Deno.mkdirSync(directory.file("service.paused/full"), { recursive: true });
  await assert.rejects(() => removePauseFile(directory.path));
  assert.ok(isThere(directory.file("service.paused/full")));
});

Deno.test("a pause whose end cannot be saved continues, also after a restart, with its original beginning", async () => {
  using directory = new TestDirectory();
  const path = directory.file("service.paused");
  await writePauseFile(directory.path);
  Deno.utimeSync(path, 1_700_000_000, 1_700_000_000.5);
  const { sync } = Deno.FsFile.prototype;
  Deno.FsFile.prototype.sync = () => Promise.reject(new Error("a fault of the disk"));
  try {
    await assert.rejects(() => removePauseFile(directory.path), /^Error: a fault of the disk$/);
  } finally {
    Deno.FsFile.prototype.sync = sync;
  }
  assert.equal(readPauseFile(directory.path), 1_700_000_000_500_000);
  await removePauseFile(directory.path);
  assert.equal(readPauseFile(directory.path), undefined);
});
