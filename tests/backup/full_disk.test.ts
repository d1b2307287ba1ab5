import assert from "node:assert/strict";
import { join } from "node:path";
import { startServer } from "../support/server_process.ts";
import { mayMount, SmallDisk } from "../support/small_disk.ts";
import { BackupPlace, runJson } from "./run_backup.ts";
import { sourceLines, storedLines } from "./stored_lines.ts";

const EVENT = { type: "t", identifiers: { a: "b" }, payload: "x".repeat(50_000) };

Deno.test({
  name: "on a full disk a run fails and keeps whole pages; with space again the next run goes on",
  ignore: !mayMount,
  async fn() {
    using disk = SmallDisk.mount()!;
    await using server = await startServer();
    const client = server.client();
    await client.append(...Array.from({ length: 100 }, () => EVENT));
    using place = new BackupPlace(server.address);
    const dataDir = join(disk.path, "backup");
    const env = { SERVICE_BACKUP_DATA_DIR: dataDir, SERVICE_BACKUP_PAGE_LIMIT: "5" };
    const file = join(dataDir, `${await client.storeId()}.db`);
    const expected = await sourceLines(client);

    // Where the space ends, so does the run: in the first page, or after some pages, or in the last checkpoint.
    for (const freeBytes of [0, 300_000, 3_000_000, 7_000_000]) {
      disk.fill(freeBytes);
      const { ok, error } = await runJson(place, env);
      assert.equal(ok, false, `${freeBytes} bytes are too few`);
      assert.match(error!, /disk is full|No space left/, String(freeBytes));
      const kept = storedLines(file);
      assert.deepEqual(kept, expected.slice(0, kept.length));
      assert.equal(kept.length % 5, 0);
      disk.free();
    }
    assert.equal((await runJson(place, env)).ok, true);
    assert.deepEqual(storedLines(file), expected);
  },
});
