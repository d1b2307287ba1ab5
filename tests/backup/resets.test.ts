import assert from "node:assert/strict";
import { isThere } from "../../src/files/is_there.ts";
import type { Client } from "../support/client.ts";
import { eventually, pause } from "../support/eventually.ts";
import { startServer } from "../support/server_process.ts";
import { BackupDirectories, event, runJson } from "./run_backup.ts";
import { sourceLines, storedLines } from "./stored_lines.ts";
import { seededRandom, testSeed } from "../support/test_seed.ts";

const ROUNDS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 30 : 3;
const WRITES = 20;
const EVENTS_PER_WRITE = 100;
const PAGE = 5;
const env = { SERVICE_BACKUP_PAGE_LIMIT: String(PAGE) };

async function fill(client: Client, name: string): Promise<void> {
  for (let write = 0; write < WRITES; write++) {
    await client.append(
      ...Array.from({ length: EVENTS_PER_WRITE }, (_, i) => event(`${name} ${write} ${i}`)),
    );
  }
}

Deno.test(`a source that is reset while it is copied, ${ROUNDS} times, never leaves a backup of two histories`, async () => {
  await using server = await startServer({ env: { SERVICE_DEV_MODE: "true" } });
  const client = server.client();
  const random = seededRandom(testSeed());
  using place = new BackupDirectories(server.address);
  let inTheMiddle = 0;
  for (let round = 0; inTheMiddle < ROUNDS; round++) {
    assert.ok(round < 5 * ROUNDS, "the resets come in the middle often enough");
    await fill(client, `round ${round}`);
    const storeId = await client.storeId();
    const old = await sourceLines(client);
    const before = storedLines(place.file(storeId)).length;
    const running = place.run({ env });
    // The run has a WAL from its first event until its end.
    const copying = eventually(() => assert.ok(isThere(`${place.file(storeId)}-wal`)));
    await Promise.race([running, copying.catch(() => {})]);
    await pause(random(100));
    await client.reset();
    const { code, stderr } = await running;
    if (code !== 0) {
      inTheMiddle++;
      assert.match(stderr, /^eventstore-backup: the source .* was reset during the run: .*\n$/);
    }
    const kept = storedLines(place.file(storeId));
    assert.deepEqual(kept, old.slice(0, kept.length), "what was kept is of the old history");
    // When the run succeeded, the reset came too early or too late for it.
    if (code === 0) assert.ok(kept.length === before || kept.length === old.length);
    else assert.equal((kept.length - before) % PAGE, 0, "whole pages only");

    await client.append(event("after the reset"));
    const isNew = !isThere(place.file(await client.storeId()));
    assert.ok(isNew || code === 0);
    const next = await runJson(place, env);
    assert.deepEqual([next.ok, next.created, next.eventsCopied], [true, isNew, 1]);
    assert.ok(next.earlierStoreIds.includes(storeId));
    assert.deepEqual(storedLines(place.file(next.storeId!)), await sourceLines(client));
    assert.deepEqual(storedLines(place.file(storeId)), kept, "the old backup stays as it is");
  }
});
