import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { DiskUsage } from "../../../../src/store/sqlite/data_directory/disk_usage.ts";
import { TestDirectory } from "../../test_store.ts";

Deno.test("sizes are those of a link's target files, and missing files are left out", async () => {
  using directory = new TestDirectory();
  using other = new TestDirectory();
  const path = directory.file("events.db");
  Deno.writeFileSync(other.file("real.db"), new Uint8Array(3000));
  Deno.symlinkSync(other.file("real.db"), path);
  const usage = new DiskUsage(path);
  const { storeBytes, walBytes, freeBytes, diskBytes } = await usage.ask();
  assert.deepEqual([storeBytes, walBytes], [3000, undefined]);
  assert.equal(diskBytes, statfsSync(other.path).blocks * statfsSync(other.path).bsize);
  assert.ok(freeBytes! > 0 && freeBytes! <= diskBytes!);
  Deno.writeFileSync(other.file("real.db-wal"), new Uint8Array(20));
  assert.equal((await usage.ask()).walBytes, 20);
  const [first, second] = await Promise.all([usage.ask(), usage.ask()]);
  assert.equal(first, second, "asked once for all who want to know at the same time");
});
