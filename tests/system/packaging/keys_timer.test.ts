import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { pageBlock } from "../../support/page_block.ts";
import { CONFIG, Machine, SERVER, SOCKET } from "./machine.ts";
import { scratchRootTest } from "./scratch_root.ts";

const UNIT = "eventstore-keys.service";
const TIMER = "eventstore-keys.timer";
const DRILL =
  "# eventstore-drill: makes a backup, checks it, restores it, and starts a server on the result.";
const WITH_SUBJECTS = "# With subjects, in place of the two lines that begin in the same way:";
const DIRECTORY = "/var/lib/eventstore-keys";

/** The drill of docs/drill.md for a store with subjects. */
function drillWithKeys(): string {
  const lines = pageBlock("drill.md", DRILL).split("\n");
  const [, ...others] = pageBlock("drill.md", WITH_SUBJECTS).trimEnd().split("\n");
  assert.equal(others.length, 2);
  for (const other of others) {
    const [start] = /^(eventstore-backup restore|printf) /.exec(other)!;
    const at = lines.findIndex((line) => line.startsWith(start));
    assert.notEqual(at, -1, start);
    lines[at] = other.replace('"student"', '"n"');
  }
  return lines.join("\n");
}

await scratchRootTest("the keys are copied in a cage of their own, and old copies go only after that", {
  systemd: true,
  programs: ["/usr/bin/curl"],
}, async () => {
  await using machine = await Machine.start();
  const { root, packages } = machine;
  await machine.install(packages.first);
  assert.equal((await root.run("systemctl", "is-enabled", TIMER)).printed.trim(), "disabled");
  assert.equal(await root.runWell("stat", "-c", "%a %U", DIRECTORY), "700 eventstore");
  const change = `s,^#sourceSocket =.*,sourceSocket = "${SOCKET}",;s,^#subjects =.*,subjects = ["n"],`;
  await root.runWell("sed", "-i", change, CONFIG);
  await root.runWell("systemctl", "restart", SERVER);
  await machine.answers();
  await machine.write("precious");

  const makeOld = async (): Promise<void> => {
    for (const [day, age] of [["2020-01-01", 6], ["2020-01-02", 5]]) {
      await root.runWell(
        "touch",
        "--date",
        `${age} days ago 1 minute ago`,
        `${DIRECTORY}/keys-${day}.ndjson`,
      );
    }
  };
  const names = async (): Promise<string[]> => (await root.runWell("ls", DIRECTORY)).split("\n");
  await makeOld();
  await root.runWell("systemctl", "start", UNIT);
  const today = `keys-${await root.runWell("date", "-u", "+%Y-%m-%d")}.ndjson`;
  assert.deepEqual(await names(), ["keys-2020-01-02.ndjson", today]);
  const copied = `${DIRECTORY}/${today}`;
  assert.equal(await root.runWell("stat", "-c", "%a %U", copied), "600 eventstore");
  assert.match(await root.runWell("cat", copied), /"name":"n","value":"1","key":"/);

  const drill = await root.runWell("runuser", "-u", "eventstore", "--", "sh", "-c", drillWithKeys());
  assert.match(drill, /"payload":"precious"/);

  await makeOld();
  await root.runWell("systemctl", "stop", SERVER);
  await root.run("systemctl", "start", UNIT);
  await eventually(async () => assert.equal(await machine.state(UNIT), "failed"), 10);
  assert.match(machine.printed(), /^eventstore-backup: the source /m);
  assert.equal((await names()).length, 3, "no copy is deleted");

  await root.runWell("systemctl", "enable", "--now", TIMER);
  assert.match(
    await root.runWell("systemctl", "list-timers"),
    /eventstore-keys\.timer +eventstore-keys\.service/,
  );
  await machine.install(packages.second);
  assert.equal(await machine.state(TIMER), "active");
  await root.runWell("dpkg", "--remove", "eventstore");
  assert.equal(await machine.state(TIMER), "inactive");
  const purged = await root.runWell("dpkg", "--purge", "eventstore");
  assert.match(purged, /kept \/var\/lib\/eventstore-keys with the keys in it/);
});
