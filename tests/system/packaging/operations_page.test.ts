import assert from "node:assert/strict";
import { cronCommand, WITH_TOKEN } from "../../backup/cron_lines.ts";
import { eventually } from "../../support/eventually.ts";
import { pageBlock } from "../../support/page_block.ts";
import { CONFIG, Machine, SERVER, SOCKET } from "./machine.ts";
import { scratchRootTest } from "./scratch_root.ts";

/* Types the commands of docs/drill.md, docs/backup.md and docs/upgrade.md for the packaged server. */

const TOKENS = "/etc/eventstore/tokens.env";
const SET_UP = "install -m 0600 /dev/null /etc/eventstore/tokens.env";

/** A machine with the package, an event in the store, tokens as install.md says, and the server as a source. */
async function startWithTokens(): Promise<Machine> {
  const machine = await Machine.start();
  const { root } = machine;
  await machine.install(machine.packages.first);
  await machine.answers();
  await machine.write("precious");
  await root.runWell("sh", "-c", pageBlock("install.md", SET_UP).replaceAll("TOKEN=...", "TOKEN=secret"));
  await root.runWell("sed", "-i", "s,^#enableAuth =.*,enableAuth = true,", CONFIG);
  await root.runWell("sed", "-i", `s,^#sourceSocket =.*,sourceSocket = "${SOCKET}",`, CONFIG);
  await root.runWell("systemctl", "restart", SERVER);
  await eventually(
    async () => assert.equal((await machine.client.request("GET", "/health")).status, 401),
    10,
  );
  return machine;
}

await scratchRootTest(
  "the drill is started as the page says, with a token that only root can read, and backups continue after it",
  { systemd: true, programs: ["/usr/bin/curl"] },
  async () => {
    await using machine = await startWithTokens();
    const { root } = machine;
    assert.equal(await root.runWell("stat", "-c", "%a %U", TOKENS), "600 root");
    const script = pageBlock(
      "drill.md",
      "# eventstore-drill: makes a backup, checks it, restores it, and starts a server on the result.",
    );
    await Deno.writeTextFile(root.path("/usr/local/bin/eventstore-drill"), script);
    const printed = await root.runWell(
      "sh",
      "-c",
      pageBlock("drill.md", "# As root, who alone can read the tokens:"),
    );
    assert.match(printed, /"payload":"precious"/);
    assert.equal(await root.runWell("find", "/var/lib/eventstore-backup", "!", "-user", "eventstore"), "");
    await root.runWell("systemctl", "start", "eventstore-backup");
  },
);

await scratchRootTest(
  "cron backs up as the page says, with the file of tokens that the server has",
  { systemd: true, programs: ["/usr/sbin/runuser"] },
  async () => {
    await using machine = await startWithTokens();
    const { root } = machine;
    const { user, command } = cronCommand(pageBlock("backup.md", WITH_TOKEN));
    assert.equal(user, "root");
    // The environment of cron, which has neither tokens nor the folders of root's programs.
    const environment = ["HOME=/root", "LOGNAME=root", "SHELL=/bin/sh", "PATH=/usr/bin:/bin"];
    const cron = (): Promise<string> => root.runWell("env", "-i", ...environment, "/bin/sh", "-c", command);
    assert.equal(await cron(), "");
    assert.equal(await root.runWell("find", "/var/lib/eventstore-backup", "!", "-user", "eventstore"), "");
    const list = [
      "runuser",
      "-u",
      "eventstore",
      "--",
      "eventstore-backup",
      "list",
      "--config",
      CONFIG,
      "--json",
    ];
    const events = async (): Promise<unknown> =>
      (JSON.parse(await root.runWell(...list)) as { events: number }).events;
    assert.equal(await events(), 1);

    // systemd and the shell read the same from single quotes, as the page says.
    const quoted = `'a "$HOME" \\ #token'`;
    const lines = ["SERVICE_AUTH_TOKEN", "SERVICE_BACKUP_SOURCE_TOKEN"].map((name) => `${name}=${quoted}\n`);
    await Deno.writeTextFile(root.path(TOKENS), lines.join(""));
    await root.runWell("systemctl", "restart", SERVER);
    await eventually(async () => assert.equal(await cron(), ""), 20);

    await root.runWell("sed", "-i", "/^SERVICE_BACKUP_SOURCE_TOKEN=/d", TOKENS);
    await assert.rejects(cron, /ended with 1: eventstore-backup: [^\n]*sourceToken/);
  },
);

await scratchRootTest(
  "events move to another schema as the page says, and the server continues with them",
  { systemd: true },
  async () => {
    await using machine = await startWithTokens();
    const { root } = machine;
    await root.runWell(
      "sh",
      "-e",
      "-c",
      pageBlock("upgrade.md", "# With the old program, the server stopped:"),
    );
    await root.runWell("sh", "-e", "-c", pageBlock("upgrade.md", "# With the new program:"));
    await root.runWell("sed", "-i", "s,^enableAuth =.*,enableAuth = false,", CONFIG);
    await root.runWell("systemctl", "restart", SERVER);
    await machine.answers();
    assert.deepEqual(await machine.payloads(), ["precious"]);
    await machine.write("and on");
    assert.equal(await root.runWell("stat", "-c", "%a %U", "/var/lib/eventstore"), "700 eventstore");
  },
);
