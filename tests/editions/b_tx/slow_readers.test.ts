import assert from "node:assert/strict";
import { residentMib } from "../../http/transport/support/transport_process.ts";
import type { Connection } from "../../support/connection.ts";
import { pause } from "../../support/eventually.ts";
import { expectStatus } from "../../support/replies.ts";
import { rounds } from "../../support/rounds.ts";
import { append, begin, event, startEditionB, type Tx } from "./client.ts";

const READERS = 4;
const EVENTS = rounds(12_000, 50_000);
const EVENTS_PER_COMMIT = 1000;
const PAYLOAD_BYTES = 4000;
/** The limit while four answers of at least 48 MB each are being sent. */
const RESIDENT_MIB_MAX = 200;

/** Reads to the end. @returns the number of lines, and the last one */
async function readOn(reader: Connection, start: Uint8Array): Promise<{ lines: number; last: string }> {
  let lines = 0;
  let tail = "";
  for (let part: Uint8Array | undefined = start; part !== undefined; part = await reader.readSome(1 << 20)) {
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines++;
    tail = (tail + new TextDecoder().decode(part.subarray(-100))).slice(-100);
  }
  return { lines, last: /\n(.*)\n[^\n]*$/s.exec(tail.replaceAll("\r", ""))?.[1] ?? "" };
}

Deno.test(`a read of ${EVENTS} events in a transaction streams in bounded memory while its client is slow`, async () => {
  await using server = await startEditionB({ SERVICE_MAX_EVENTS_PER_TX: String(EVENTS_PER_COMMIT) });
  const client = server.client();
  const batch = Array(EVENTS_PER_COMMIT).fill(event("t", "x".repeat(PAYLOAD_BYTES)));
  for (let i = 0; i < EVENTS / EVENTS_PER_COMMIT; i++) await append(client, ...batch);
  // A fresh process, so that the memory of the writes is not counted.
  await server.restart();

  const readers: { tx: Tx; connection: Connection }[] = [];
  try {
    for (let i = 0; i < READERS; i++) {
      const tx = await begin(client);
      const json = { query: [{ types: ["t"] }] };
      const headers = { connection: "close" };
      readers.push({
        tx,
        connection: await client.begin("QUERY", `/tx/${tx.id}/events`, { json, headers }),
      });
    }
    let highest = 0;
    for (let i = 0; i < 15; i++) {
      for (const { connection } of readers) assert.ok((await connection.readSome(2000))?.length);
      await pause(100);
      highest = Math.max(highest, residentMib(server.pid));
    }
    assert.ok(highest < RESIDENT_MIB_MAX, `VmRSS rose to ${highest.toFixed(0)} MiB`);
    await append(client, event("other"));

    const [{ tx, connection }, ...others] = readers as [typeof readers[number], ...typeof readers];
    expectStatus(await tx.write(), 409);
    // This comes before the next long read: on a busy machine, the server would cut off these readers meanwhile.
    for (const other of others) expectStatus(await other.tx.abandon(), 409);
    const { lines, last } = await readOn(connection, new Uint8Array());
    assert.ok(lines >= EVENTS, `${lines} lines`);
    assert.match(last, /\{"end":true\}/);
    expectStatus(await tx.write(event("u")), 200);
    expectStatus(await tx.commit(), 204);
    assert.ok(
      residentMib(server.pid) < RESIDENT_MIB_MAX,
      `VmRSS is ${residentMib(server.pid).toFixed(0)} MiB`,
    );
  } finally {
    for (const { connection } of readers) connection.close();
  }
});
