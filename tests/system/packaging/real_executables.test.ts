import assert from "node:assert/strict";
import { PROGRAM_NAMES } from "../../../tools/build/program_task.ts";
import { CONFIG, Machine, SERVER, SOCKET } from "./machine.ts";
import { scratchRootTest } from "./scratch_root.ts";
import { realExecutables } from "./stand_ins.ts";

/* The package as it is released: the other tests of its services have scripts for executables. */

await scratchRootTest("real executables are unpacked by root at install, and run from there in their cages", {
  systemd: true,
}, async () => {
  await using machine = await Machine.start(realExecutables);
  const { root } = machine;
  await machine.install(machine.packages.first);
  await machine.answers();
  await machine.write("first");

  const commandLine = await root.runWell("cat", `/proc/${await machine.property("MainPID")}/cmdline`);
  if (!commandLine.startsWith("/usr/bin/eventstore-server\0")) {
    assert.match(commandLine, /^\/var\/cache\/eventstore\/\w+\/eventstore\0run\0/);
    const files = (await root.runWell("find", "/var/cache/eventstore", "-type", "f")).split("\n");
    const names = files.map((path) => path.split("/").at(-1)).sort();
    assert.deepEqual(names, ["eventstore", ...PROGRAM_NAMES.map((name) => `eventstore-${name}.js`).sort()]);
    assert.equal(await root.runWell("find", "/var/cache/eventstore", "!", "-user", "root"), "");
  }
  await root.runWell("sed", "-i", `s,^#sourceSocket =.*,sourceSocket = "${SOCKET}",`, CONFIG);
  await root.runWell("systemctl", "start", "eventstore-backup.service");
  assert.match(machine.printed(), /1 event/);
  assert.match(
    await root.runWell("eventstore-client", "read"),
    /^SEQUENCE .*\n1 .* first$/,
    "it finds the server",
  );
  // A user with a home directory runs the same files, without a copy.
  await root.runWell("install", "-d", "-o", "nobody", "/tmp/home");
  const asNobody = ["setpriv", "--reuid=nobody", "--clear-groups", "env", "HOME=/tmp/home"];
  await root.runWell(...asNobody, "eventstore-backup", "--version");
  assert.equal(await root.runWell("ls", "-A", "/tmp/home"), "");

  const since = performance.now();
  await root.runWell("systemctl", "stop", SERVER);
  assert.ok(performance.now() - since < 9000);
  assert.equal(await machine.property("ExecMainStatus"), "0");
});
