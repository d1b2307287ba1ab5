import assert from "node:assert/strict";
import { join } from "node:path";
import { namesIn } from "../support/directory.ts";
import { pageBlock, replacePart } from "../support/page_block.ts";
import { makePrograms } from "../support/programs.ts";
import { type Ended, runCommand } from "../support/run_command.ts";
import { startServer } from "../support/server_process.ts";
import { cronCommand } from "./cron_lines.ts";
import { BackupDirectories } from "./run_backup.ts";
import { forget, ofStudent, SUBJECTS } from "./sealed_source.ts";

const PAGE = "backup_subjects.md";
const SCRIPT = "# eventstore-keys: copies the keys of subjects, and lets no copy get older than a week.";
const DAY_MS = 24 * 60 * 60 * 1000;

Deno.test("the script of the page copies the keys, deletes old copies only after that, and prints nothing", async () => {
  await using server = await startServer({ env: SUBJECTS });
  await server.client().append(ofStudent("s1"));
  using place = new BackupDirectories(server.address);
  const [key, value] = Object.entries(place.source)[0]!;
  const setting = key === "SERVICE_BACKUP_SOURCE_SOCKET" ? "sourceSocket" : "sourceUrl";
  const config = join(place.directory, "config.toml");
  const text = `[backup]\n${setting} = "${value}"\ndataDir = "${place.dataDir}"\n`;
  Deno.writeTextFileSync(config, text, { mode: 0o600 });
  const keys = join(place.directory, "keys");
  Deno.mkdirSync(keys);
  const old = join(keys, "keys-2020-01-01.ndjson");
  const recent = join(keys, "keys-2020-01-02.ndjson");
  const makeOld = (): void => {
    for (const [path, days] of [[old, 6.1], [recent, 5.9]] as const) {
      Deno.writeTextFileSync(path, "");
      const time = new Date(Date.now() - days * DAY_MS);
      Deno.utimeSync(path, time, time);
    }
  };
  const programs = await makePrograms(place.directory);
  const script = replacePart(
    replacePart(pageBlock(PAGE, SCRIPT), "/etc/eventstore/config.toml", config),
    "/var/lib/eventstore-keys",
    keys,
  );
  const run = async (): Promise<Ended> =>
    await runCommand(["/bin/sh", "-c", script], {
      cwd: place.directory,
      env: { ...Deno.env.toObject(), PATH: `${programs}:/usr/bin:/bin` },
    });
  makeOld();
  assert.deepEqual(await run(), { code: 0, stdout: "", stderr: "" });
  const today = `keys-${new Date().toISOString().slice(0, 10)}.ndjson`;
  assert.deepEqual(namesIn(keys), ["keys-2020-01-02.ndjson", today]);
  assert.match(Deno.readTextFileSync(join(keys, today)), /"value":"s1"/);

  await forget(server, "s1");
  assert.equal((await run()).code, 0);
  assert.doesNotMatch(Deno.readTextFileSync(join(keys, today)), /"value":"s1"/);

  await server.stop();
  makeOld();
  const { code, stdout, stderr } = await run();
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^eventstore-backup: the source [^\n]+\n$/);
  assert.equal(namesIn(keys).length, 3, "no copy is deleted");
});

Deno.test("the line for cron runs that script as the user of the server", () => {
  const { user, command } = cronCommand(pageBlock(PAGE, "# /etc/cron.d/eventstore-keys"));
  assert.deepEqual([user, command], ["eventstore", "timeout 1h sh /usr/local/bin/eventstore-keys"]);
});
