import assert from "node:assert/strict";
import type { Client, WriteResult } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { rounds } from "../../support/rounds.ts";
import { type ServerProcess, spawnServer, startServer } from "../../support/server_process.ts";

const WRITERS = 8;
const ROUNDS = rounds(5, 10);

/** The payloads of all acknowledged events by sequence. */
type Acknowledged = Map<number, string>;

/** Writes two events and a projection of the same name again and again until the server is gone. */
async function writeUntilGone(client: Client, name: string, acknowledged: Acknowledged): Promise<void> {
  for (let i = 0;; i++) {
    const id = `${name} ${i}`;
    const body = {
      events: [
        { type: "t", identifiers: { id }, payload: id },
        { type: "t", identifiers: { id }, payload: `${id} again` },
      ],
      // Every third write is rejected, and must change nothing.
      conditions: i % 3 === 2 ? [{ failIfEventsMatch: "*" }] : [],
      projections: { create: [{ type: "t", id, payload: id }] },
    };
    try {
      const reply = await client.write(body);
      if (reply.status !== 200 || reply.cutShort) continue;
      const [first, second] = reply.json<WriteResult>().events;
      acknowledged.set(first?.sequence ?? 0, id).set(second?.sequence ?? 0, `${id} again`);
    } catch {
      return;
    }
  }
}

/** Sends writes and disconnects at once. These writes may or may not happen. */
async function leaveUntilGone(client: Client): Promise<void> {
  for (let i = 0;; i++) {
    try {
      const connection = await client.begin("POST", "/write", {
        json: { events: [{ type: "left", identifiers: {}, payload: "" }] },
      });
      if (i % 2 === 0) await pause(1);
      connection.close();
      await pause(5);
    } catch {
      return;
    }
  }
}

async function assertIntact(server: ServerProcess, acknowledged: Acknowledged): Promise<void> {
  const events = await server.client().allEvents();
  assert.deepEqual(
    events.map((event) => event.sequence),
    Array.from({ length: events.length }, (_, i) => i + 1),
    "sequences have no gap",
  );
  for (const [sequence, payload] of acknowledged) {
    assert.equal(events[sequence - 1]?.payload, payload, `acknowledged event ${sequence} is lost`);
  }
}

/** Asserts that the projection of each write exists exactly when its events do. */
async function assertWholeWrites(client: Client, round: number): Promise<void> {
  const events = await client.allEvents([{ types: ["t"] }]);
  const ids = events.map((event) => String(event.identifiers["id"]));
  const ofRound = ids.filter((id) => id.startsWith(`${round}/`));
  const counts = Map.groupBy(ofRound, (id) => id);
  for (const [id, twice] of counts) assert.equal(twice.length, 2, `half a write: ${id}`);
  const lastOfEach = Array.from({ length: WRITERS }, (_, writer) => {
    const numbers = ofRound.filter((id) => id.startsWith(`${round}/${writer} `)).map((id) =>
      id.split(" ")[1]
    );
    return { writer, last: Math.max(-1, ...numbers.map(Number)) };
  });
  for (const { writer, last } of lastOfEach) {
    for (let i = Math.max(0, last - 3); i <= last + 4; i++) {
      const id = `${round}/${writer} ${i}`;
      const read = await client.request("GET", `/projections/t/${encodeURIComponent(id)}`);
      assert.equal(read.status, counts.has(id) ? 200 : 404, `event and projection of ${id} differ`);
    }
  }
}

Deno.test(`after kill -9 under load, ${ROUNDS} times, every acknowledged write exists, whole, and without gaps`, async () => {
  await using server = await startServer({ listen: "unix" });
  const acknowledged: Acknowledged = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    const before = acknowledged.size;
    const writers = Array.from(
      { length: WRITERS },
      (_, writer) => writeUntilGone(server.client(), `${round}/${writer}`, acknowledged),
    );
    const leaving = leaveUntilGone(server.client());
    const isUnderLoad = (): void =>
      assert.ok(acknowledged.size > before + WRITERS, "the round is under load");
    await eventually(isUnderLoad, 20);
    await pause(50 + 30 * round);
    await server.kill();
    await Promise.all([...writers, leaving]);
    await server.start();
    await assertIntact(server, acknowledged);
    await assertWholeWrites(server.client(), round);
  }
  await server.restart();
  await assertIntact(server, acknowledged);
});

Deno.test("a server killed at any moment of its first start leaves a directory that the next one can use", async () => {
  for (let milliseconds = 10; milliseconds <= 120; milliseconds += rounds(30, 10)) {
    await using server = await spawnServer({ listen: "unix" });
    await pause(milliseconds);
    await server.kill();
    await server.start();
    await server.client().append({ type: "t", identifiers: {}, payload: "" });
    assert.equal((await server.stop()).code, 0);
  }
});
