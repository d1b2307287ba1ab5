import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { CONFIG, Machine, SERVER, SOCKET } from "./machine.ts";
import { scratchRootTest } from "./scratch_root.ts";

/*
 * The package on a machine with systemd: the real units with everything that they forbid, in force.
 */

const test = (name: string, run: () => Promise<void>): Promise<void> =>
  scratchRootTest(name, { systemd: true }, run);

await test("installing starts the server in its cage, as a user who can do nothing else", async () => {
  await using machine = await Machine.start();
  await machine.install(machine.packages.first);
  await machine.answers();
  await machine.write("first");
  assert.deepEqual(await machine.payloads(), ["first"]);

  const { root } = machine;
  const user = await root.runWell("id", "-u", "eventstore");
  const status = await root.runWell("cat", `/proc/${await machine.property("MainPID")}/status`);
  assert.match(status, new RegExp(`^Uid:\\s+${user}\\s+${user}\\s+${user}\\s+${user}$`, "m"));
  assert.match(status, /^CapBnd:\s+0+$/m);
  assert.match(status, /^NoNewPrivs:\s+1$/m);
  assert.match(status, /^Seccomp:\s+2$/m, "the filter of system calls is in force");
  const inCage = ["nsenter", "--target", await machine.property("MainPID"), "--mount"];
  assert.match((await root.run(...inCage, "touch", "/usr/bin/x")).printed, /Read-only file system/);
  assert.equal(await machine.property("LimitNOFILE"), "65536");
  assert.equal(await root.runWell("stat", "-c", "%a %U:%G", SOCKET), "600 eventstore:eventstore");
  assert.equal(await root.runWell("stat", "-c", "%a %U:%G", CONFIG), "640 root:eventstore");
  assert.equal(
    await root.runWell("stat", "-c", "%a %U:%G", "/var/lib/eventstore"),
    "700 eventstore:eventstore",
  );
  assert.equal(await root.runWell("systemctl", "is-enabled", SERVER), "enabled");
  assert.equal(
    (await root.run("systemctl", "is-enabled", "eventstore-backup.timer")).printed.trim(),
    "disabled",
  );

  const since = performance.now();
  await root.runWell("systemctl", "stop", SERVER);
  assert.ok(performance.now() - since < 9000);
  assert.deepEqual([await machine.property("Result"), await machine.property("ExecMainStatus")], [
    "success",
    "0",
  ]);
  assert.equal((await root.run("test", "-e", "/run/service")).code, 1);
});

await test("a reload reads the tokens again; without any it fails, and the server continues", async () => {
  await using machine = await Machine.start();
  await machine.install(machine.packages.first);
  await machine.answers();
  const { root } = machine;
  const before = await machine.property("MainPID");
  assert.equal((await root.run("systemctl", "reload", SERVER)).code, 1);
  assert.equal(await machine.property("MainPID"), before);
  await machine.answers();

  await root.runWell("sed", "-i", "s,^#enableAuth =.*,enableAuth = true,", CONFIG);
  const add = async (name: string): Promise<string> => {
    const printed = await root.runWell("eventstore-init", "token", name, "--may", "read");
    const lines = printed.slice(printed.indexOf("[[tokens]]"));
    await Deno.writeTextFile(root.path(CONFIG), `\n${lines}\n`, { append: true });
    return /^eventstore_\w+$/m.exec(printed)![0];
  };
  const accepts = (token: string): Promise<void> =>
    eventually(async () => {
      const headers = { authorization: `Bearer ${token}` };
      assert.equal((await machine.client.request("GET", "/health", { headers })).status, 200);
    }, 10);
  const first = await add("first");
  await root.runWell("systemctl", "restart", SERVER);
  await accepts(first);
  const running = await machine.property("MainPID");
  const second = await add("second");
  await root.runWell("systemctl", "reload", SERVER);
  await accepts(second);
  await accepts(first);
  assert.equal(await machine.property("MainPID"), running);
});

await test("a server that is killed is started again, one with a bad configuration is not", async () => {
  await using machine = await Machine.start();
  await machine.install(machine.packages.first);
  await machine.answers();
  await machine.write("before");
  const { root } = machine;
  const before = await machine.property("MainPID");
  await root.runWell("kill", "-9", before);
  await eventually(async () => assert.equal(await machine.property("NRestarts"), "1"));
  await machine.answers();
  assert.notEqual(await machine.property("MainPID"), before);
  assert.deepEqual(await machine.payloads(), ["before"]);

  await root.runWell("systemctl", "stop", SERVER);
  await root.runWell("sh", "-c", `echo 'nonsense = 1' >> ${CONFIG}`);
  await root.run("systemctl", "start", SERVER);
  await eventually(async () => assert.equal(await machine.state(SERVER), "failed"));
  assert.match(machine.printed(), /config\.toml:\d+:1: unknown key "nonsense"/);
  assert.deepEqual([await machine.property("ExecMainStatus"), await machine.property("NRestarts")], [
    "2",
    "0",
  ]);
});

await test("an upgrade restarts a running server, keeps the configuration, and leaves a stopped one stopped", async () => {
  await using machine = await Machine.start();
  const { root, packages } = machine;
  await machine.install(packages.first);
  await machine.answers();
  await machine.write("before");
  await root.runWell("sed", "-i", 's/^#logLevel = .*/logLevel = "debug"/', CONFIG);
  const before = await machine.property("MainPID");
  await machine.install(packages.second);
  await machine.answers();
  assert.notEqual(await machine.property("MainPID"), before);
  assert.deepEqual(await machine.payloads(), ["before"]);
  await eventually(() => assert.match(machine.printed(), /\[DEBUG\] GET \/health 200/));

  await root.runWell("systemctl", "stop", SERVER);
  await machine.install(packages.first);
  assert.equal(await machine.state(SERVER), "inactive");
  assert.equal(await root.runWell("systemctl", "is-enabled", SERVER), "enabled");
});

await test("the backup copies the server's events in a cage of its own, once by hand and then by the timer", async () => {
  await using machine = await Machine.start();
  const { root, packages } = machine;
  await machine.install(packages.first);
  await machine.answers();
  await machine.write("precious");
  const backup = "eventstore-backup.service";
  assert.equal((await root.run("systemctl", "start", backup)).code, 1, "no source is set");
  assert.match(machine.printed(), /no source: set sourceUrl or sourceSocket/);
  await root.runWell("systemctl", "reset-failed", backup);

  await root.runWell("sed", "-i", `s,^#sourceSocket =.*,sourceSocket = "${SOCKET}",`, CONFIG);
  await root.runWell("systemctl", "start", backup);
  const config = ["--config", CONFIG];
  const verified = await root.runWell(
    "runuser",
    "-u",
    "eventstore",
    "--",
    "eventstore-backup",
    "verify",
    ...config,
  );
  assert.match(verified, /^[0-9a-f-]{36}: ok, 1 event/);
  assert.equal(await root.runWell("stat", "-c", "%a %U", "/var/lib/eventstore-backup"), "700 eventstore");

  await root.runWell("systemctl", "stop", SERVER);
  await root.run("systemctl", "start", backup);
  await eventually(async () => assert.equal(await machine.state(backup), "failed"), 10);
  const attempts = machine.printed().match(/^eventstore-backup: the source .*$/gm);
  assert.equal(attempts?.length, 1 + 2, machine.printed());

  await root.runWell("systemctl", "enable", "--now", "eventstore-backup.timer");
  assert.match(
    await root.runWell("systemctl", "list-timers"),
    /eventstore-backup\.timer +eventstore-backup\.service/,
  );
  await machine.install(packages.second);
  assert.equal(await machine.state("eventstore-backup.timer"), "active");
  await root.runWell("dpkg", "--remove", "eventstore");
  assert.equal(await machine.state("eventstore-backup.timer"), "inactive");
});

await test("removing stops the server and keeps events and configuration, purging keeps the events", async () => {
  await using machine = await Machine.start();
  const { root, packages } = machine;
  await machine.install(packages.first);
  await machine.answers();
  await machine.write("precious");
  await Deno.writeTextFile(root.path("/etc/eventstore/tokens.env"), "SERVICE_AUTH_TOKEN=secret\n");
  await root.runWell("dpkg", "--remove", "eventstore");
  assert.equal(await machine.state(SERVER), "inactive");
  const exists = async (path: string): Promise<boolean> => (await root.run("test", "-e", path)).code === 0;
  assert.equal(await exists("/usr/bin/eventstore-server"), false);
  assert.equal(await exists(CONFIG), true);
  assert.equal(await exists("/var/lib/eventstore/events.db"), true);

  await machine.install(packages.first);
  assert.equal(await machine.state(SERVER), "inactive", "what was removed once waits to be started");
  const printed = await root.runWell("dpkg", "--purge", "eventstore");
  assert.match(printed, /kept \/var\/lib\/eventstore with the events in it/);
  assert.equal(await exists("/etc/eventstore"), false);
  assert.equal(await exists("/var/cache/eventstore"), false);
  assert.equal(await exists("/var/lib/eventstore-backup"), false, "nothing was in it");
  assert.equal(await exists("/etc/systemd/system/multi-user.target.wants/eventstore-server.service"), false);

  await machine.install(packages.first);
  await machine.answers();
  assert.deepEqual(await machine.payloads(), ["precious"]);
});
