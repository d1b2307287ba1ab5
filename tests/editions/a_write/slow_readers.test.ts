import assert from "node:assert/strict";
import { residentMib } from "../../http/transport/support/transport_process.ts";
import type { Connection } from "../../support/connection.ts";
import { pause } from "../../support/eventually.ts";
import { debugSnapshot } from "../../support/held_write_lock.ts";
import { rounds } from "../../support/rounds.ts";
import { startServer } from "../../support/server_process.ts";

const READERS = 50;
const EVENTS = rounds(2000, 10_000);
const PAYLOAD_BYTES = 60_000;
const RESIDENT_MIB_MAX = 250;

Deno.test(`50 slow readers of pages of ${EVENTS} events of 60 KB keep the server below 250 MB`, async () => {
  await using server = await startServer({ listen: "unix" });
  const client = server.client();
  const event = { type: "t", identifiers: {}, payload: "x".repeat(PAYLOAD_BYTES) };
  const body = JSON.stringify({ events: Array(100).fill(event) });
  for (let i = 0; i < EVENTS / 100; i++) {
    assert.equal((await client.request("POST", "/write", { body })).status, 200);
  }
  // A fresh process, so that the memory of the writes is not counted.
  await server.restart();

  const readers: Connection[] = [];
  try {
    for (let i = 0; i < READERS; i++) {
      readers.push(await client.begin("QUERY", "/events", { json: { query: "*", limit: EVENTS } }));
    }
    let highest = 0;
    for (let round = 0; round < 20; round++) {
      for (const reader of readers) {
        assert.ok((await reader.readSome(2000))?.length, "every reader has received something");
      }
      await pause(200);
      highest = Math.max(highest, residentMib(server.pid));
    }
    assert.ok(highest < RESIDENT_MIB_MAX, `VmRSS rose to ${highest.toFixed(0)} MiB`);
    const { read } = await debugSnapshot(client);
    assert.equal(read.httpOpen, READERS, "all of them are still reading");
    assert.ok(read.sqliteInUse <= read.sqliteMax);
    assert.equal((await client.write({ events: [{ type: "t", payload: "" }] })).status, 200);
  } finally {
    for (const reader of readers) reader.close();
  }

  using whole = await client.begin("QUERY", "/events", {
    json: { query: "*", limit: EVENTS },
    headers: { connection: "close" },
  });
  let bytes = 0;
  let tail = "";
  for (let part; (part = await whole.readSome(65536)) !== undefined;) {
    bytes += part.length;
    tail = (tail + new TextDecoder().decode(part)).slice(-100);
  }
  assert.ok(bytes > EVENTS * PAYLOAD_BYTES, "a reader that keeps reading gets the whole page");
  assert.match(tail, /\n\{"hasMore": ?true\}/);
});
