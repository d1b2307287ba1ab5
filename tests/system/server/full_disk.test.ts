import assert from "node:assert/strict";
import { join } from "node:path";
import type { Client } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { assertRejected, expectStatus, TIMESTAMP } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { MEBIBYTE, type SmallDisk, smallDiskTest } from "../support/small_disk.ts";
import { type Answer, assertAnswered, isAcknowledged, writeWhole } from "../../server/acknowledged_writes.ts";

/** Large names make large writes: events, tags and projection hold the name. */
const nameOf = (i: number): string => `${i} `.padEnd(20_000, "x");

/** Writes until a write is not acknowledged. @returns the number of acknowledged ones */
async function writeUntilFull(client: Client, answers: Map<string, Answer>): Promise<number> {
  for (let i = 0; i < 500; i++) {
    const name = `${answers.size} `.padEnd(1000, "x");
    const answer = await writeWhole(client, name);
    answers.set(name, answer);
    if (!isAcknowledged(answer)) return i;
  }
  return assert.fail("the disk never became full");
}

/** Registers a test with a server on a small disk. */
function test(name: string, run: (disk: SmallDisk, server: ServerProcess) => Promise<void>): void {
  smallDiskTest(name, async (disk) => {
    await using server = await startServer({ env: { SERVICE_DATA_DIR: join(disk.path, "data") } });
    await run(disk, server);
  });
}

test(
  "full disk: writes get 507, reads go on; with room again writes go on, nothing lost, no gap",
  async (disk, server) => {
    const client = server.client();
    const answers = new Map<string, Answer>();
    answers.set("first", await writeWhole(client, "first"));
    disk.fill(MEBIBYTE);
    assert.ok(await writeUntilFull(client, answers) > 5);
    for (let i = 0; i < 5; i++) answers.set(nameOf(i), await writeWhole(client, nameOf(i)));
    // The server starts a reader now, which must not need space either.
    await assertAnswered(client, answers);
    await assertHealth(client, true);
    assert.match(server.stdout, /\[WARNING\] writes fail: .*full/);
    assertRejectedAsFull([...answers.values()].filter((answer) => !isAcknowledged(answer)));
    disk.free();
    await eventually(async () => {
      const name = `after ${answers.size}`;
      const answer = await writeWhole(client, name);
      answers.set(name, answer);
      assert.ok(isAcknowledged(answer), JSON.stringify(answer));
    });
    await assertHealth(client, false);
    await eventually(() => assert.match(server.stdout, /\[WARNING\] writes succeed again/));
    assert.equal(server.stdout.match(/writes (fail|succeed)/g)?.length, 2);
    for (let i = 10; i < 30; i++) answers.set(nameOf(i), await writeWhole(client, nameOf(i)));
    await assertAnswered(client, answers);
    await server.restart();
    await assertAnswered(client, answers);
  },
);

/** Reads continue while writes fail, so only the check that asks for writes fails. */
async function assertHealth(client: Client, areWritesFailing: boolean): Promise<void> {
  const health = expectStatus(await client.request("GET", "/health"), 200)
    .json<{ status: string; writes?: string; reason?: string; since?: string }>();
  assert.equal(health.status, "ok");
  const probed = await client.request("GET", "/health?writes");
  if (!areWritesFailing) {
    assert.deepEqual([health.writes, probed.status], [undefined, 200]);
    return;
  }
  assert.equal(health.writes, "failing");
  assert.match(health.reason!, /full/);
  assert.match(health.since!, TIMESTAMP);
  assertRejected(probed, 503, "Unavailable", /^writes fail since \S+: .*full/);
}

function assertRejectedAsFull(rejected: readonly Answer[]): void {
  assert.equal(rejected.length, 6);
  const unanswered = rejected.filter((answer) => answer === "none").length;
  // When there is no space even for the fence, the outcome of one write is open. After it, the server tries no more
  // writes.
  assert.ok(unanswered <= 1, `${unanswered} writes were not answered`);
  for (const answer of rejected) {
    if (answer === "none") continue;
    assert.equal(answer.status, 507);
    assert.match(answer.text, /"error":"DiskFull".*nothing was written: .*full/);
  }
}

test(
  "full disk, kill -9, restart with room: every acknowledged write is there, no rejected one",
  async (disk, server) => {
    const client = server.client();
    const answers = new Map<string, Answer>();
    answers.set("first", await writeWhole(client, "first"));
    disk.fill(MEBIBYTE);
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; i < 100; i++) {
        const name = `${writer} ${i} `.padEnd(1000, "x");
        const answer = await writeWhole(client, name);
        answers.set(name, answer);
        if (!isAcknowledged(answer)) return;
      }
      assert.fail("the disk never became full");
    });
    await Promise.all(writers);
    await server.kill();
    disk.free();
    await server.start();
    await assertAnswered(client, answers);
  },
);
