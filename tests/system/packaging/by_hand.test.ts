import assert from "node:assert/strict";
import { Client } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { ScratchRoot, scratchRootTest } from "./scratch_root.ts";
import { buildTwoVersions } from "./two_versions.ts";
import { UnitFile } from "../../packaging/unit_file.ts";

/*
 * The package on a machine without systemd: an administrator reads the installed unit and follows it by hand.
 */

const PID_FILE = "/run/by_hand.pid";

async function eventsOf(client: Client): Promise<string> {
  const reply = await client.request("QUERY", "/events", { json: { query: "*" } });
  assert.equal(reply.status, 200, reply.text);
  return reply.text;
}

/** Starts what the unit starts: its user, directories, limits and working directory. */
async function startByHand(root: ScratchRoot, unit: UnitFile): Promise<Deno.ChildProcess> {
  const user = unit.one("User");
  const own = ["install", "-d", "-o", user, "-g", unit.one("Group")];
  await root.runWell(...own, "-m", unit.one("RuntimeDirectoryMode"), `/run/${unit.one("RuntimeDirectory")}`);
  await root.runWell(...own, "-m", unit.one("StateDirectoryMode"), `/var/lib/${unit.one("StateDirectory")}`);
  const script = `umask ${unit.one("UMask")} && cd ${unit.one("WorkingDirectory")} && ` +
    `ulimit -n "$(printf '%s\\n' ${unit.one("LimitNOFILE")} "$(ulimit -Hn)" | sort -n | head -n 1)" && ` +
    `echo $$ > ${PID_FILE} && exec setpriv --reuid ${user} --regid ${user} --init-groups --no-new-privs --bounding-set=-all ` +
    `--reset-env ${unit.one("ExecStart")}`;
  return root.spawn("sh", "-c", script);
}

/** Starts the server, waits until it answers, and does something with it. */
async function withServer(root: ScratchRoot, run: (client: Client) => Promise<void>): Promise<string> {
  const unit = new UnitFile(
    Deno.readTextFileSync(root.path("/usr/lib/systemd/system/eventstore-server.service")),
  );
  const server = await startByHand(root, unit);
  const output = server.output();
  const client = new Client(root.socket("/run/service/service.sock"));
  try {
    await eventually(async () => void await client.request("GET", "/health"), 60);
    await run(client);
  } finally {
    await root.runWell("sh", "-c", `kill -TERM $(cat ${PID_FILE})`);
  }
  const { code, stdout, stderr } = await output;
  const printed = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.equal(code, 0, printed);
  return printed;
}

await scratchRootTest(
  "without systemd the package is installed, started by hand, upgraded, removed and purged",
  {
    systemd: false,
  },
  async () => {
    await using packages = await buildTwoVersions();
    await using root = await ScratchRoot.start({ systemd: false, shared: packages.shared });
    await root.runWell("dpkg", "--install", packages.first);
    assert.match(await root.runWell("dpkg", "--verify", "eventstore"), /^$/);
    let before = "";
    const printed = await withServer(root, async (client) => {
      const event = { type: "t", identifiers: { n: "1" }, payload: "by hand" };
      assert.equal((await client.write({ events: [event] })).status, 200);
      before = await eventsOf(client);
    });
    assert.match(printed, /data directory \/var\/lib\/eventstore, auth off/);
    assert.equal(printed.includes("warning"), false, printed);

    await root.runWell("dpkg", "--install", packages.second);
    await withServer(root, async (client) => assert.equal(await eventsOf(client), before));

    await root.runWell("dpkg", "--remove", "eventstore");
    assert.equal((await root.run("test", "-e", "/usr/bin/eventstore-server")).code, 1);
    await root.runWell("dpkg", "--purge", "eventstore");
    assert.equal((await root.run("test", "-e", "/etc/eventstore")).code, 1);
    assert.equal((await root.run("test", "-s", "/var/lib/eventstore/events.db")).code, 0);
  },
);

await scratchRootTest("purging a package that never held events leaves nothing but the user", {
  systemd: false,
}, async () => {
  await using packages = await buildTwoVersions();
  await using root = await ScratchRoot.start({ systemd: false, shared: packages.shared });
  const files = [
    "find",
    "/etc",
    "/usr/bin",
    "/usr/lib/systemd",
    "/usr/share",
    "/var",
    "-path",
    "/var/lib/dpkg",
    "-prune",
    "-o",
    "-name",
    "*eventstore*",
    "-print",
  ];
  const before = await root.runWell(...files);
  await root.runWell("dpkg", "--install", packages.first);
  assert.match(await root.runWell(...files), /\/var\/lib\/eventstore-backup/);
  await root.runWell("dpkg", "--purge", "eventstore");
  assert.equal(await root.runWell(...files), before);
  await root.runWell("id", "eventstore");
});
