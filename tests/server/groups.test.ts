import assert from "node:assert/strict";
import { eventually, pause } from "../support/eventually.ts";
import { type Answer, assertAnswered, isAcknowledged, writeWhole } from "./acknowledged_writes.ts";
import { FailingDisk, failingDiskTest as test } from "./failing_disk.ts";

const WRITERS = 32;

test("writes that wait while another is synced share one sync, and one alone has its own", async () => {
  await using disk = await FailingDisk.start();
  const client = disk.server.client();
  await writeWhole(client, "first");
  let before = disk.walSyncs;
  for (let i = 0; i < 5; i++) await writeWhole(client, `alone ${i}`);
  assert.equal(disk.walSyncs - before, 5, "one sync for each write that was alone");
  disk.turnOn("slow-sync");
  before = disk.walSyncs;
  const answers = await Promise.all(
    Array.from({ length: 10 * WRITERS }, (_, i) => writeWhole(client, `together ${i}`)),
  );
  assert.ok(answers.every(isAcknowledged));
  const syncs = disk.walSyncs - before;
  assert.ok(syncs >= 2 && syncs <= 5 * WRITERS, `${syncs} syncs for ${answers.length} writes`);
});

test("kill -9 in the middle of groups: every acknowledged write is there, none by half, and no gap", async () => {
  await using disk = await FailingDisk.start();
  disk.turnOn("slow-sync");
  const answers = new Map<string, Answer>();
  for (let round = 0; round < 3; round++) {
    const [syncsBefore, answersBefore] = [disk.walSyncs, answers.size];
    let over = false;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let i = 0; !over; i++) {
        const name = `${round} ${writer} ${i}`;
        answers.set(name, await writeWhole(disk.server.client(), name));
      }
    });
    const inThisRound = (): Answer[] => [...answers.values()].slice(answersBefore);
    await eventually(() => assert.ok(inThisRound().length > 2 * WRITERS, "the round is under load"), 20);
    await pause(100 + 37 * round);
    over = true;
    await disk.server.kill();
    await Promise.all(writers);
    const acknowledged = inThisRound().filter(isAcknowledged).length;
    const syncs = disk.walSyncs - syncsBefore;
    assert.ok(acknowledged > 2 * syncs && syncs > 2, `groups: ${acknowledged} writes in ${syncs} syncs`);
    await disk.server.start();
    await assertAnswered(disk.server.client(), answers);
  }
});
