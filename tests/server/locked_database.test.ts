import assert from "node:assert/strict";
import { holdWriteLock } from "../support/held_write_lock.ts";
import { assertRejected } from "../support/replies.ts";
import { startServer } from "../support/server_process.ts";

const event = { type: "t", identifiers: {}, payload: "" };

/** A call that needs the write lock, in each edition. */
const CALLS = [
  ["A", "POST", "/write", { json: { events: [event] } }],
  ["B", "POST", "/pause", {}],
  ["C", "POST", "/begin", {}],
] as const;

for (const [edition, method, path, options] of CALLS) {
  Deno.test(`edition ${edition}: a write that finds the database locked for too long is 503 Unavailable`, async () => {
    await using server = await startServer({ listen: "unix", env: { SERVICE_EDITION: edition } });
    const client = server.client();
    {
      // Held for longer than the server waits for the lock of its file.
      using _held = holdWriteLock(server);
      const waiting = client.request(method, path, options);
      assert.equal((await client.request("GET", "/health")).status, 200, "reads go on");
      assertRejected(
        await waiting,
        503,
        "Unavailable",
        "nothing was written: another process has locked the database",
      );
    }
    const { status, text } = await client.request(method, path, options);
    assert.equal(status, 200, text);
  });
}
