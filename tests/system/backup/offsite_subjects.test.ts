import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { BackupDirectories, event } from "../../backup/run_backup.ts";
import { copyKeys, forget, ofStudent, payloadsIn, SECRET, SUBJECTS } from "../../backup/sealed_source.ts";
import { pageBlock, replacePart } from "../../support/page_block.ts";
import { makePrograms } from "../../support/programs.ts";
import { runCommand } from "../../support/run_command.ts";
import { startServer } from "../../support/server_process.ts";
import { debianTest } from "../support/debian_program.ts";

/* The commands of docs/offsite.md for a store with subjects, with the real restic and a repository in a directory. */

const PAGE = "offsite.md";
const SCRIPT =
  "# eventstore-offsite: sends the events of the backup to a repository of restic, as far as they are new.";
const LIST = "# With subjects, before the last line of eventstore-offsite:";
const RESTORE =
  "# On a new machine, with the variables of offsite.env, and keys.ndjson from the other machine:";

await debianTest(
  ["restic"],
  "events and list are sent elsewhere, and with the keys of another place nobody comes back",
  async ({ restic }) => {
    await using server = await startServer({ env: SUBJECTS });
    await server.client().append(ofStudent("s1"), event("plain"), ofStudent("s2"));
    using place = new BackupDirectories(server.address);
    const { directory } = place;
    const programs = await makePrograms(directory);
    const well = async (script: string): Promise<void> => {
      const { code, stdout, stderr } = await runCommand(["sh", "-c", script], {
        cwd: directory,
        env: {
          ...restic.environment,
          SERVICE_BACKUP_DATA_DIR: place.dataDir,
          RESTIC_REPOSITORY: join(directory, "repository"),
          RESTIC_PASSWORD: "secret",
          RESTIC_CACHE_DIR: join(directory, "cache"),
          PATH: `${programs}:${dirname(restic.path)}:${Deno.env.get("PATH")}`,
        },
      });
      assert.equal(code, 0, stdout + stderr);
    };
    const config = join(directory, "config.toml");
    Deno.writeTextFileSync(config, "");
    const events = join(directory, "offsite.ndjson");
    let script = replacePart(pageBlock(PAGE, SCRIPT), "/etc/eventstore/config.toml", config);
    script = replacePart(script, "/var/lib/eventstore-offsite/events.ndjson", events);
    const list = replacePart(pageBlock(PAGE, LIST), "/var/lib/eventstore-backup", place.dataDir);
    script = replacePart(script, "restic backup", `${list}restic backup`);

    await well("restic init");
    await copyKeys(place);
    assert.equal((await place.run()).code, 0);
    await well(script);
    await forget(server, "s1");
    assert.equal((await place.run()).code, 0);
    await well(script);
    // A night that failed after the list was sent.
    await well(list);
    await well(pageBlock(PAGE, RESTORE));
    assert.deepEqual(await payloadsIn(join(directory, "restored")), [null, "plain", `${SECRET}s2`]);
  },
);
