import assert from "node:assert/strict";
import { pause } from "../support/eventually.ts";
import { FakeSource, lines, rightPage, STORE } from "./fake_source.ts";
import { BackupDirectories, runJson } from "./run_backup.ts";
import { storedLines } from "./stored_lines.ts";
import { seededRandom, testSeed } from "../support/test_seed.ts";

const KILLS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 300 : 20;
const EVENTS = 2000;
const PAGE = 20;
const env = { SERVICE_BACKUP_PAGE_LIMIT: String(PAGE) };

Deno.test(`a backup killed ${KILLS} times at random moments holds whole pages each time, and everything in the end`, async () => {
  const expected = lines(1, EVENTS);
  const random = seededRandom(testSeed());
  let requestsLeft = 0;
  let whenReached = (): void => {};
  await using source = new FakeSource((request) => {
    if (--requestsLeft === 0) whenReached();
    return rightPage(request, EVENTS);
  });
  /** Resolves when the next run sends its n-th request. */
  const reached = (n: number): Promise<void> => {
    requestsLeft = n;
    return new Promise((resolve) => whenReached = resolve);
  };
  let kills = 0;
  let inTheMiddle = 0;
  while (kills < KILLS) {
    using place = new BackupDirectories(source.address);
    for (let kept = 0, isOver = false; kills < KILLS && !isOver;) {
      // Mostly while it copies; now and then while it starts or ends.
      const pagesLeft = (EVENTS - kept) / PAGE;
      const moment = random(5) === 0 ? pause(random(150)) : reached(1 + random(Math.min(pagesLeft + 3, 25)));
      isOver = !await killedAfter(place, moment, random(10));
      const stored = storedLines(place.file(STORE));
      assert.deepEqual(stored, expected.slice(0, stored.length), "what is there is the source's");
      assert.equal(stored.length % PAGE, 0, "whole pages only");
      assert.ok(stored.length >= kept, "nothing is lost");
      kept = stored.length;
      if (isOver) continue;
      kills++;
      if (kept > 0 && kept < EVENTS) inTheMiddle++;
    }
    const { ok, lastSequence } = await runJson(place, env);
    assert.deepEqual([ok, lastSequence], [true, EVENTS]);
    assert.deepEqual(storedLines(place.file(STORE)), expected);
  }
  assert.ok(inTheMiddle >= KILLS / 5, `only ${inTheMiddle} kills came in the middle`);
});

/** Runs a backup and kills it soon after a moment. @returns false when it ended before */
async function killedAfter(
  place: BackupDirectories,
  moment: Promise<void>,
  milliseconds: number,
): Promise<boolean> {
  const child = place.spawn({ env });
  const ending = child.output();
  await Promise.race([ending, moment]);
  await pause(milliseconds);
  try {
    child.kill("SIGKILL");
  } catch {
    // It has just ended.
  }
  return (await ending).signal === "SIGKILL";
}
