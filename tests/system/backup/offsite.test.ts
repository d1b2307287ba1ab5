import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { BackupDirectories, event } from "../../backup/run_backup.ts";
import { sourceLines } from "../../backup/stored_lines.ts";
import { namesIn } from "../../support/directory.ts";
import { pageBlock, replacePart } from "../../support/page_block.ts";
import { makePrograms } from "../../support/programs.ts";
import { startServer } from "../../support/server_process.ts";
import { debianTest } from "../support/debian_program.ts";
import { runCommand } from "../../support/run_command.ts";

/* The commands of docs/offsite.md and docs/restore.md for encrypted files, with the real age. */

await debianTest(
  ["age"],
  "an encrypted copy is made, sent and read back as the page says",
  async ({ age }) => {
    await using server = await startServer();
    await server.client().append(event("1"), event("2"));
    using place = new BackupDirectories(server.address);
    const { directory } = place;
    const programs = await makePrograms(directory);
    const run = async (script: string): Promise<{ code: number; printed: string }> => {
      const { code, stdout, stderr } = await runCommand(["sh", "-c", script], {
        cwd: directory,
        env: {
          ...age.environment,
          ...place.source,
          SERVICE_BACKUP_DATA_DIR: place.dataDir,
          TMPDIR: directory,
          PATH: `${programs}:${dirname(age.path)}:${Deno.env.get("PATH")}`,
        },
      });
      return { code, printed: stdout + stderr };
    };

    assert.equal((await run(pageBlock("offsite.md", "# On a machine that is not the server:"))).code, 0);
    const config = join(directory, "config.toml");
    await Deno.writeTextFile(config, "");
    const offsite = join(directory, "offsite");
    await Deno.mkdir(offsite);
    const first =
      "# eventstore-send: makes a backup, and puts an encrypted copy of all its events into another place.";
    let script = pageBlock("offsite.md", first);
    script = replacePart(script, "/etc/eventstore/config.toml", config);
    script = replacePart(script, "/etc/eventstore/offsite.pub", join(directory, "offsite.pub"));
    script = replacePart(script, "/mnt/offsite", offsite);
    assert.deepEqual(await run(script), { code: 0, printed: "" });
    const [name, ...others] = namesIn(offsite);
    assert.match(name!, /^events-\d{4}-\d\d-\d\dT\d{6}Z\.ndjson\.gz\.age$/);
    assert.deepEqual(others, []);
    assert.deepEqual(
      namesIn(directory).filter((name) => name.startsWith("tmp.")),
      [],
      "nothing is left behind",
    );

    const back = replacePart(
      pageBlock("restore.md", "# On a machine with the secret key, the newest copy:"),
      "events-*",
      join(offsite, "events-*"),
    );
    // An older one is left alone.
    await Deno.writeTextFile(join(offsite, "events-2020-01-01T000000Z.ndjson.gz.age"), "old");
    const restored = await run(back);
    assert.equal(restored.code, 0, restored.printed);
    const lines = await sourceLines(server.client());
    await using copy = await startServer({ env: { SERVICE_DATA_DIR: join(directory, "restored") } });
    assert.deepEqual(await sourceLines(copy.client()), lines);

    // A copy that was cut short is no copy.
    await copy.stop();
    await Deno.remove(join(directory, "restored"), { recursive: true });
    const { size } = await Deno.stat(join(offsite, name!));
    await Deno.truncate(join(offsite, name!), size - 20);
    const cut = await run(back);
    assert.equal(cut.code, 1, cut.printed);
    assert.match(cut.printed, /standard input was not imported/);

    await server.stop();
    const failed = await run(script);
    assert.equal(failed.code, 1);
    assert.equal(namesIn(offsite).length, 2, "without a backup nothing is sent");
  },
);
