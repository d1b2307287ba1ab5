import assert from "node:assert/strict";
import { join } from "node:path";
import { pageBlock } from "../support/page_block.ts";
import { makePrograms } from "../support/programs.ts";
import { type Ended, runCommand } from "../support/run_command.ts";
import { startServer } from "../support/server_process.ts";
import { BackupDirectories, event } from "./run_backup.ts";

/** Minute, hour, day, month, weekday, user. */
const FIELDS_BEFORE_COMMAND = 6;

/** The command in the line for cron of docs/backup.md. */
function cronCommand(): string {
  const [, line] = pageBlock("backup.md", "# /etc/cron.d/eventstore-backup").split("\n");
  return line!.split(" ").slice(FIELDS_BEFORE_COMMAND).join(" ");
}

Deno.test("the line for cron prints nothing when the backup succeeds, so that no mail is sent, and an error when not", async () => {
  await using server = await startServer();
  using place = new BackupDirectories(server.address);
  const programs = await makePrograms(place.directory);
  const config = join(place.directory, "config.toml");
  const [key, value] = Object.entries(place.source)[0]!;
  const setting = key === "SERVICE_BACKUP_SOURCE_SOCKET" ? "sourceSocket" : "sourceUrl";
  const text = `[backup]\n${setting} = "${value}"\ndataDir = "${place.dataDir}"\n`;
  await Deno.writeTextFile(config, text, { mode: 0o600 });
  const command = cronCommand().replace("/etc/eventstore/config.toml", config);
  assert.match(command, /^timeout 12h eventstore-backup /);
  // The runtime keeps modules in its own directory, by default in the home directory.
  const runtime = Object.entries(Deno.env.toObject()).filter(([name]) => /^(HOME|DENO_DIR)$/.test(name));
  /** Runs the command as cron does, with next to no environment. */
  const run = (): Promise<Ended> =>
    runCommand(["/bin/sh", "-c", command], {
      cwd: place.directory,
      env: {
        ...Object.fromEntries(runtime),
        LOGNAME: "eventstore",
        SHELL: "/bin/sh",
        PATH: `${programs}:/usr/bin:/bin`,
      },
      clearEnv: true,
    });
  await server.client().append(event("1"), event("2"));
  const silent = { code: 0, stdout: "", stderr: "" };
  assert.deepEqual(await run(), silent, "the first run");
  assert.deepEqual(await run(), silent, "nothing is new");
  await server.client().append(event("3"));
  assert.deepEqual(await run(), silent, "something is new");
  assert.match((await place.run({ args: ["verify"] })).stdout, /: ok, 3 events\n$/);

  await server.stop();
  const { code, stdout, stderr } = await run();
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^eventstore-backup: the source [^\n]+\n$/);
});
