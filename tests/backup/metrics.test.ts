import assert from "node:assert/strict";
import { join } from "node:path";
import { FakeSource, lines, page, rightPage, STORE } from "./fake_source.ts";
import { startServer } from "../support/server_process.ts";
import { assertFailed, BackupDirectories } from "./run_backup.ts";
import { ofStudent, SUBJECTS } from "./sealed_source.ts";
import { storedLines } from "./stored_lines.ts";

const NAMES = [
  "service_backup_success",
  "service_backup_last_run_timestamp_seconds",
  "service_backup_last_success_timestamp_seconds",
  "service_backup_last_sequence",
  "service_backup_duration_seconds",
  "service_backup_events_copied",
];

/** The values of a metrics file, each with its HELP and TYPE. */
function metricsIn(file: string): Map<string, number> {
  const text = Deno.readTextFileSync(file);
  const found = new Map<string, number>();
  const pattern = /^# HELP (\w+) [^\n]+\.\n# TYPE \1 gauge\n\1 ([0-9.]+)\n/;
  let rest = text;
  for (let match = pattern.exec(rest); match !== null; match = pattern.exec(rest)) {
    found.set(match[1]!, Number(match[2]));
    rest = rest.slice(match[0].length);
  }
  assert.equal(rest, "");
  return found;
}

/** Success, last sequence and events copied. */
function counts(metrics: ReadonlyMap<string, number>): (number | undefined)[] {
  return ["success", "last_sequence", "events_copied"].map((name) => metrics.get(`service_backup_${name}`));
}

Deno.test("--metrics-file reports each run; a failed one keeps the last success and what is still true", async () => {
  let head = 5;
  let isBroken = false;
  await using source = new FakeSource((request) => {
    const isCut = isBroken && request.afterSequence === 8;
    return isCut ? page(STORE, lines(9, 9).join("")) : rightPage(request, head);
  });
  using place = new BackupDirectories(source.address);
  const file = join(place.directory, "eventstore backup.prom");
  const options = {
    args: ["--quiet", "--metrics-file", file],
    env: { SERVICE_BACKUP_PAGE_LIMIT: "3" },
    umask: "0077",
  };
  const startedAt = Date.now() / 1000;

  assert.equal((await place.run(options)).code, 0);
  const first = metricsIn(file);
  assert.deepEqual([...first.keys()], NAMES);
  const succeededAt = first.get("service_backup_last_success_timestamp_seconds")!;
  assert.ok(succeededAt >= startedAt && succeededAt <= Date.now() / 1000 + 0.01, `${succeededAt}`);
  assert.equal(first.get("service_backup_last_run_timestamp_seconds"), succeededAt);
  assert.ok(first.get("service_backup_duration_seconds")! > 0);
  assert.deepEqual(counts(first), [1, 5, 5]);

  [head, isBroken] = [20, true];
  assertFailed(await place.run(options), 1, /no trailer/);
  const second = metricsIn(file);
  assert.deepEqual(counts(second), [0, 8, 3]);
  assert.equal(second.get("service_backup_last_success_timestamp_seconds"), succeededAt);
  assert.ok(second.get("service_backup_last_run_timestamp_seconds")! > succeededAt);

  await source[Symbol.asyncDispose]();
  assertFailed(await place.run(options), 1, /refused/);
  const third = metricsIn(file);
  assert.deepEqual([...third.keys()], NAMES);
  assert.deepEqual(counts(third), [0, 8, 0], "the backup is what it was");
  assert.equal(third.get("service_backup_last_success_timestamp_seconds"), succeededAt);
  assert.deepEqual([...Deno.readDirSync(place.directory)].map(({ name }) => name).sort(), [
    "backup",
    "eventstore backup.prom",
  ]);
  assert.equal(Deno.statSync(file).mode! & 0o777, 0o644, "the scraper is another user");
});

Deno.test("before the first success there is neither a last success nor a last sequence", async () => {
  using place = new BackupDirectories({ transport: "unix", path: "/nowhere/source.sock" });
  const file = join(place.directory, "backup.prom");
  assertFailed(await place.run({ args: ["--metrics-file", file] }), 1, /nowhere/);
  const unknown = ["service_backup_last_success_timestamp_seconds", "service_backup_last_sequence"];
  assert.deepEqual([...metricsIn(file).keys()], NAMES.filter((name) => !unknown.includes(name)));
});

Deno.test("a metrics file that cannot be written fails the run, whose events are copied anyway", async () => {
  await using source = new FakeSource((request) => rightPage(request, 2));
  using place = new BackupDirectories(source.address);
  const args = ["--metrics-file", "/nowhere/backup.prom"];
  assertFailed(await place.run({ args }), 1, /the metrics file \/nowhere\/backup\.prom cannot be written: /);
  assert.deepEqual(storedLines(place.file(STORE)), lines(1, 2));
});

Deno.test("every metric is documented, in its order", () => {
  const text = Deno.readTextFileSync(new URL("../../docs/metrics.md", import.meta.url));
  const documented = [...text.matchAll(/^- `(service_backup_\w+)`: /gm)];
  assert.deepEqual(documented.map(([, name]) => name), NAMES);
});

Deno.test("a metrics file that is a link is rejected and stays one, so that its end does not go stale unnoticed", async () => {
  await using source = new FakeSource((request) => rightPage(request, 2));
  using place = new BackupDirectories(source.address);
  const file = join(place.directory, "backup.prom");
  Deno.symlinkSync("elsewhere.prom", file);
  const expected = /the metrics file .* cannot be written: .*backup\.prom is not a regular file/;
  assertFailed(await place.run({ args: ["--metrics-file", file] }), 1, expected);
  assert.equal(Deno.readLinkSync(file), "elsewhere.prom");
});

Deno.test("keys --metrics-file says when the keys were copied, and stays as it is when a copy fails", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"));
  using place = new BackupDirectories(server.address);
  const file = join(place.directory, "keys.prom");
  const args = ["keys", "--quiet", "--output", join(place.directory, "keys.ndjson"), "--metrics-file", file];
  const startedAt = Date.now() / 1000;
  assert.equal((await place.run({ args })).code, 0);
  const [[name, copiedAt]] = [...metricsIn(file)] as [[string, number]];
  assert.equal(name, "service_keys_last_success_timestamp_seconds");
  assert.ok(copiedAt >= startedAt && copiedAt <= Date.now() / 1000 + 0.01, `${copiedAt}`);

  await server.stop();
  assertFailed(await place.run({ args }), 1, /refused/);
  assert.deepEqual([...metricsIn(file)], [[name, copiedAt]]);
  const { code, stderr } = await place.run({ args: [...args, "--from", server.dataDir] });
  assert.deepEqual([code, stderr.includes("--metrics-file is for copies of a running server")], [2, true]);
});
