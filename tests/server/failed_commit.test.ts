import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { type Answer, assertAnswered, isAcknowledged, writeWhole } from "./acknowledged_writes.ts";
import { FailingDisk, failingDiskTest as test } from "./failing_disk.ts";

/** Writes one after the other, each awaited. */
async function writeSome(disk: FailingDisk, answers: Map<string, Answer>, ...names: string[]): Promise<void> {
  for (const name of names) answers.set(name, await writeWhole(disk.server.client(), name));
}

/** Asserts that the server has given up: it ends by itself with a failure, and says why. */
async function assertEndsBroken(disk: FailingDisk): Promise<void> {
  const { code, stderr } = await disk.server.ended(8);
  assert.equal(code, 1, stderr);
  assert.match(
    stderr,
    /^eventstore-server: the store has failed and the server must be restarted: [^\n]+\n/m,
  );
}

test("a COMMIT whose sync fails, fenced: 500 is the truth, also after the restart, and the server ends with 1", async () => {
  await using disk = await FailingDisk.start();
  const answers = new Map<string, Answer>();
  await writeSome(disk, answers, "before", "also before");
  disk.turnOn("fail-sync-1");
  await writeSome(disk, answers, "failing");
  assert.equal(disk.isOn("fail-sync-1"), false, "the failure was met");
  const failing = answers.get("failing")!;
  assert.ok(failing !== "none", "the outcome is certain, so it is told");
  assert.equal(failing.status, 500);
  assert.match(failing.text, /"error":"InternalError".*nothing was written/);
  await assertEndsBroken(disk);
  await disk.server.start();
  await assertAnswered(disk.server.client(), answers);
  await writeSome(disk, answers, "after", "failing");
  assert.deepEqual([...answers.values()].map(isAcknowledged), [true, true, true, true]);
  await assertAnswered(disk.server.client(), answers);
});

for (const failure of ["fail-sync", "fail-write"] as const) {
  test(`a COMMIT and its fence both fail (${failure}): no answer, exit code 1, nothing acknowledged is lost`, async () => {
    await using disk = await FailingDisk.start();
    const answers = new Map<string, Answer>();
    await writeSome(disk, answers, "before", "also before");
    disk.turnOn(failure);
    await writeSome(disk, answers, "failing");
    assert.equal(answers.get("failing"), "none");
    await assertEndsBroken(disk);
    disk.turnOff(failure);
    await disk.server.start();
    await assertAnswered(disk.server.client(), answers);
    await writeSome(disk, answers, "after");
    assert.equal(isAcknowledged(answers.get("after")!), true);
    await assertAnswered(disk.server.client(), answers);
  });
}

test("a disk that fails under load: each write gets a true answer or none, and no waiting write gets a false one", async () => {
  for (const failure of ["fail-sync-1", "fail-sync"] as const) {
    await using disk = await FailingDisk.start();
    disk.turnOn("slow-sync");
    const answers = new Map<string, Answer>();
    let failed = false;
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      for (let i = 0; !failed; i++) {
        const name = `${writer} ${i}`;
        const answer = await writeWhole(disk.server.client(), name);
        answers.set(name, answer);
        failed ||= !isAcknowledged(answer);
      }
    });
    const acknowledged = (): number => [...answers.values()].filter(isAcknowledged).length;
    await eventually(() => assert.ok(acknowledged() > 16, "the server is under load"), 20);
    disk.turnOn(failure);
    await eventually(() => assert.ok(failed, "the failure was met, and told"), 20);
    await Promise.all(writers);
    await assertEndsBroken(disk);
    if (failure === "fail-sync") disk.turnOff(failure);
    disk.turnOff("slow-sync");
    await disk.server.start();
    await assertAnswered(disk.server.client(), answers);
  }
});

test("a checkpoint that fails ends the server with 1, and nothing acknowledged is lost", async () => {
  await using disk = await FailingDisk.start("events.db");
  const answers = new Map<string, Answer>();
  disk.turnOn("slow-sync");
  await writeSome(disk, answers, "before", "also before");
  disk.turnOn("fail-sync");
  // The server checkpoints when it has been idle for two seconds.
  await assertEndsBroken(disk);
  disk.turnOff("fail-sync");
  await disk.server.start();
  await assertAnswered(disk.server.client(), answers);
  await writeSome(disk, answers, "after");
  assert.deepEqual([...answers.values()].map(isAcknowledged), [true, true, true]);
});
