import assert from "node:assert/strict";
import { NewFile } from "../../src/files/new_file.ts";
import { TestDirectory } from "../store/test_store.ts";

function write(path: string, text: string): void {
  using file = new NewFile(path, 0o600);
  file.write(text);
  file.keep();
}

Deno.test("what a killed process with the same ID has left does not keep the file from being written", () => {
  using directory = new TestDirectory();
  const path = directory.file("backup.prom");
  Deno.writeTextFileSync(`${path}.${Deno.pid}.new`, "half of an old");
  write(path, "new");
  assert.equal(Deno.readTextFileSync(path), "new");
  assert.deepEqual([...Deno.readDirSync(directory.path)].map(({ name }) => name), ["backup.prom"]);
});

Deno.test("a link in the place of the temporary file is removed, not followed", () => {
  using directory = new TestDirectory();
  const [path, other] = [directory.file("backup.prom"), directory.file("other")];
  Deno.writeTextFileSync(other, "of another user");
  Deno.symlinkSync(other, `${path}.${Deno.pid}.new`);
  write(path, "new");
  assert.equal(Deno.readTextFileSync(other), "of another user");
  assert.equal(Deno.lstatSync(path).isFile, true);
});

Deno.test("a file whose permissions cannot be set leaves nothing behind", () => {
  using directory = new TestDirectory();
  const { chmodSync } = Deno;
  Deno.chmodSync = () => {
    throw new Error("operation not permitted");
  };
  try {
    assert.throws(() => write(directory.file("backup.prom"), "new"), /operation not permitted/);
  } finally {
    Deno.chmodSync = chmodSync;
  }
  assert.deepEqual([...Deno.readDirSync(directory.path)], []);
});
