import assert from "node:assert/strict";
import { join } from "node:path";
import { pageBlock, replacePart } from "../support/page_block.ts";
import { makePrograms } from "../support/programs.ts";
import { type Ended, runCommand } from "../support/run_command.ts";
import { startServer } from "../support/server_process.ts";
import { BackupDirectories, event } from "./run_backup.ts";
import { cronCommand, WITH_TOKEN, WITHOUT_TOKEN } from "./cron_lines.ts";

const SILENT: Ended = { code: 0, stdout: "", stderr: "" };

/** Runs commands as cron does, with the programs of this repository and a configuration for a source. */
class Cron {
  readonly #place: BackupDirectories;
  readonly #programs: string;

  private constructor(place: BackupDirectories, programs: string) {
    this.#place = place;
    this.#programs = programs;
  }

  static async set(place: BackupDirectories): Promise<Cron> {
    const [key, value] = Object.entries(place.source)[0]!;
    const setting = key === "SERVICE_BACKUP_SOURCE_SOCKET" ? "sourceSocket" : "sourceUrl";
    const text = `[backup]\n${setting} = "${value}"\ndataDir = "${place.dataDir}"\n`;
    await Deno.writeTextFile(join(place.directory, "config.toml"), text, { mode: 0o600 });
    return new Cron(place, await makePrograms(place.directory));
  }

  /** The command has next to no environment. */
  run(command: string): Promise<Ended> {
    const config = join(this.#place.directory, "config.toml");
    // The runtime keeps modules in its own directory, by default in the home directory.
    const runtime = Object.entries(Deno.env.toObject()).filter(([name]) => /^(HOME|DENO_DIR)$/.test(name));
    return runCommand(["/bin/sh", "-c", replacePart(command, "/etc/eventstore/config.toml", config)], {
      cwd: this.#place.directory,
      env: {
        ...Object.fromEntries(runtime),
        LOGNAME: "eventstore",
        SHELL: "/bin/sh",
        PATH: `${this.#programs}:/usr/bin:/bin`,
      },
      clearEnv: true,
    });
  }
}

Deno.test("the line for cron prints nothing when the backup succeeds, so that no mail is sent, and an error when not", async () => {
  await using server = await startServer();
  using place = new BackupDirectories(server.address);
  const cron = await Cron.set(place);
  const { user, command } = cronCommand(pageBlock("backup.md", WITHOUT_TOKEN));
  assert.equal(user, "eventstore");
  assert.match(command, /^timeout 12h eventstore-backup /);
  await server.client().append(event("1"), event("2"));
  assert.deepEqual(await cron.run(command), SILENT, "the first run");
  assert.deepEqual(await cron.run(command), SILENT, "nothing is new");
  await server.client().append(event("3"));
  assert.deepEqual(await cron.run(command), SILENT, "something is new");
  assert.match((await place.run({ args: ["verify"] })).stdout, /: ok, 3 events; root [0-9a-f]{64}@3\n$/);

  await server.stop();
  const { code, stdout, stderr } = await cron.run(command);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^eventstore-backup: the source [^\n]+\n$/);
});

Deno.test("the line for cron with a token needs no file but that of the server", async () => {
  // The most difficult token that the page allows, in the quotes that it names.
  const token = `a "$HOME" \`id\` \\ #token%`;
  await using server = await startServer({
    listenOnly: true,
    env: { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: token },
  });
  using place = new BackupDirectories(server.address);
  const cron = await Cron.set(place);
  const { user, command } = cronCommand(pageBlock("backup.md", WITH_TOKEN));
  assert.equal(user, "root");
  const tokens = join(place.directory, "tokens.env");
  // Only root can become another user: tests/system/packaging/operations_page.test.ts runs the whole line.
  const line = replacePart(
    replacePart(command, "/etc/eventstore/tokens.env", tokens),
    "/usr/sbin/runuser -u eventstore -- timeout",
    "timeout",
  );
  assert.notEqual((await cron.run(line)).code, 0, "without the file");
  await Deno.writeTextFile(tokens, `SERVICE_AUTH_TOKEN='${token}'\n`, { mode: 0o600 });
  const refused = await cron.run(line);
  assert.deepEqual([refused.code, refused.stdout], [1, ""], "the token of the source is not there");
  assert.match(refused.stderr, /^eventstore-backup: [^\n]*sourceToken[^\n]*\n$/);
  await Deno.writeTextFile(tokens, `SERVICE_BACKUP_SOURCE_TOKEN='${token}'\n`, { append: true });
  await server.client({ authorization: `Bearer ${token}` }).append(event("1"), event("2"));
  assert.deepEqual(await cron.run(line), SILENT);
  assert.match((await place.run({ args: ["verify"] })).stdout, /: ok, 2 events; root [0-9a-f]{64}@2\n$/);
});
