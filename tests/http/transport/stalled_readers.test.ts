import assert from "node:assert/strict";
import { startServer } from "../../support/server_process.ts";
import { fillWithPages, StalledReaders } from "./support/stalled_readers.ts";
import { residentMib } from "./support/transport_process.ts";

/** A task tests the full number, 200, and the time until they are cut off: docs/measurements.md. */
const READERS = 50;
const GROWTH_MIB_MAX = 64;

// `a_write/slow_readers.test.ts` shows the same in short.
const ignore = Deno.env.get("EVENTSTORE_LONG_TESTS") !== "1";

Deno.test("readers that stop in the middle of a page cost little memory", { ignore }, async () => {
  await using server = await startServer();
  await fillWithPages(server);
  const before = residentMib(server.pid);
  using readers = await StalledReaders.open(server.address, READERS);
  const growth = await readers.highestMib(server.pid, 3) - before;
  assert.ok(growth < GROWTH_MIB_MAX, `memory grew by ${growth.toFixed(0)} MiB`);
});
