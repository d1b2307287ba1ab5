import assert from "node:assert/strict";
import { join } from "node:path";
import { openWriter, storeWrite, writeNow } from "../../../bench/fill_store.ts";
import { initStore } from "../../../src/store/sqlite/data_directory/create_database.ts";
import { inDirectory } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { removeFromPageCache } from "../../support/page_cache.ts";
import { runCommand } from "../../support/run_command.ts";
import { startServer } from "../../support/server_process.ts";
import { debianTest } from "../support/debian_program.ts";

const PAGE_BYTES = 4096;
const MEBIBYTE = 2 ** 20;

/** The server reads the file in its spare time, of which a busy machine leaves little. */
const PRELOAD_SECONDS_MAX = 120;

/**
 * Creates a store that is large with only 1,200 events. Many small ones would not do: the server counts them for its
 * catalog soon after the start, and so reads the file whatever the setting says.
 */
function createLargeStore(dataDir: string): void {
  const writer = openWriter(initStore(dataDir).path);
  const event = { type: "Large", identifiers: [], metadata: [], payload: "x".repeat(60_000) };
  const events = Array.from({ length: 100 }, () => event);
  for (let i = 0; i < 12; i++) writeNow(writer, storeWrite(events, Date.now() * 1000));
  writer.close();
}

/** The bytes of a file that are in the system's page cache. */
async function cachedBytes(path: string): Promise<number> {
  const { stdout } = await runCommand(["fincore", "--raw", "--noheadings", "--output", "PAGES", path]);
  return Number(stdout) * PAGE_BYTES;
}

await debianTest(
  ["fincore", "dd"],
  "after a start the system caches the end of a large file, as much as preloadMebibytes says",
  () =>
    inDirectory(async (directory) => {
      const path = join(directory, "data", "events.db");
      createLargeStore(join(directory, "data"));
      const { size } = Deno.statSync(path);
      assert.ok(size > 64 * MEBIBYTE, `${size} bytes`);
      await removeFromPageCache(path);
      assert.ok(await cachedBytes(path) < MEBIBYTE, "the file is still cached");
      {
        await using _bounded = await startServer({ directory, env: { SERVICE_PRELOAD_MEBIBYTES: "4" } });
        await eventually(async () => assert.ok(await cachedBytes(path) >= 4 * MEBIBYTE), PRELOAD_SECONDS_MAX);
      }
      assert.ok(await cachedBytes(path) < 6 * MEBIBYTE, "more was read than the setting allows");
      await using _server = await startServer({ directory });
      await eventually(async () => assert.ok(await cachedBytes(path) >= size), PRELOAD_SECONDS_MAX);
    }),
);
