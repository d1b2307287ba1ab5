import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { findHead, progressText } from "../../src/backup/reports/progress_line.ts";
import { runCommand } from "../support/run_command.ts";
import { FakeSource, rightPage, STORE } from "./fake_source.ts";
import { makeBackup, makeChained, sampleEvents } from "./made_backup.ts";
import { BackupDirectories } from "./run_backup.ts";

/** Runs the program on a terminal that `script` makes. @returns what a person would have seen */
async function onTerminal(place: BackupDirectories, args: readonly string[]): Promise<string> {
  const [program, ...rest] = place.command(args);
  const command = [program, ...rest].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const typed = ["script", "--quiet", "--return", "--command", command, "/dev/null"];
  const { stdout } = await runCommand(typed, {
    cwd: place.directory,
    env: { ...place.source, SERVICE_BACKUP_PAGE_LIMIT: "10" },
  });
  return stdout;
}

const hasScript = ((): boolean => {
  try {
    return new Deno.Command("script", { args: ["--version"] }).outputSync().success;
  } catch {
    return false;
  }
})();

function slowSource(): FakeSource {
  return new FakeSource(async (request) => {
    if (request.limit > 1) await delay(30);
    return rightPage(request, 200);
  });
}

Deno.test({
  name: "on a terminal a line shows the true percentage and the time that is left, and disappears",
  ignore: !hasScript,
  async fn() {
    await using source = slowSource();
    using place = new BackupDirectories(source.address);
    const seen = await onTerminal(place, []);
    const shown = [...seen.matchAll(/\r(\d+\.\d) % {2}event (\d+) of 200 {2}ETA 0:0\d/g)];
    assert.ok(shown.length >= 2, JSON.stringify(seen));
    for (const [, percent, sequence] of shown) assert.equal(percent, (Number(sequence) / 2).toFixed(1));
    const summary = seen.split("\r\x1b[K").at(-1);
    assert.match(summary!, /^eventstore-backup: copied 200 events [^\n]+\n$/);
    assert.ok(source.requests.filter(({ limit }) => limit === 1).length < 25, "few tiny reads");
  },
});

Deno.test({
  name: "on a terminal a line also shows the progress of the check before an upgrade",
  ignore: !hasScript,
  async fn() {
    await using source = slowSource();
    using place = new BackupDirectories(source.address);
    makeBackup(place, sampleEvents(5000), STORE);
    makeChained(place.file(STORE));
    const seen = await onTerminal(place, []);
    assert.match(seen, /\rchecking the backup: \d+\.\d % {2}event \d+ of 5000 {2}ETA \d+:\d\d/);
  },
});

Deno.test({
  name: "on a terminal --quiet shows no progress",
  ignore: !hasScript,
  async fn() {
    await using source = slowSource();
    using place = new BackupDirectories(source.address);
    assert.equal(await onTerminal(place, ["--quiet"]), "");
  },
});

Deno.test("without a terminal there is no progress", async () => {
  await using source = slowSource();
  using place = new BackupDirectories(source.address);
  const { stderr } = await place.run({ env: { SERVICE_BACKUP_PAGE_LIMIT: "10" } });
  assert.equal(stderr, "");
  assert.equal(
    source.requests.filter(({ limit }) => limit === 1).length,
    1,
    "nor a search for the last event",
  );
});

Deno.test("the last sequence is found with about twice as many reads as it has binary digits", async () => {
  for (const known of [0, 1, 999, 123_456]) {
    for (const more of [0, 1, 2, 999, 1000, 1001, 1002, 5_000_000, 123_456_789]) {
      let reads = 0;
      const head = known + more;
      const hasEventsAfter = (sequence: number): Promise<boolean> => {
        reads++;
        return Promise.resolve(sequence < head);
      };
      assert.equal(await findHead({ hasEventsAfter }, known), head);
      assert.ok(reads <= 12 + 2 * Math.log2(more + 1), `${reads} reads for ${more} more events`);
    }
  }
});

Deno.test("the estimate counts what this run copies, and the percentage everything copied", () => {
  assert.equal(progressText(0, 0, 1000, 1), "0.0 %  event 0 of 1000  ETA -");
  assert.equal(progressText(0, 250, 1000, 10), "25.0 %  event 250 of 1000  ETA 0:30");
  assert.equal(progressText(500, 750, 1000, 60), "75.0 %  event 750 of 1000  ETA 1:00");
  assert.equal(progressText(0, 1, 10_000, 1), "0.0 %  event 1 of 10000  ETA 2:46:39");
  assert.equal(progressText(1000, 1000, 1000, 1), "100.0 %  event 1000 of 1000  ETA -");
});
