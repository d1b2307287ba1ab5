import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import {
  BACKUP_DIRECTORY,
  CONFIG_PATH,
  DATA_DIRECTORY,
  SOCKET_PATH,
  TOKENS_PATH,
  USER,
} from "../../packaging/places.ts";
import { type DebianProgram, debianTest } from "../support/debian_program.ts";
import { unitFile } from "./unit_file.ts";

const SERVER = "eventstore-server.service";
const BACKUP = "eventstore-backup.service";
const TIMER = "eventstore-backup.timer";

const EXPOSURE_MAX = 2.0;

function pathOf(unit: string): string {
  return fileURLToPath(new URL(`../../packaging/systemd/${unit}`, import.meta.url));
}

async function printed(
  program: DebianProgram,
  args: readonly string[],
): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await new Deno.Command(program.path, {
    args: [...args],
    env: { ...program.environment, LC_ALL: "C.UTF-8", SYSTEMD_LOG_LEVEL: "info" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

for (const unit of [SERVER, BACKUP]) {
  await debianTest(
    ["systemd-analyze"],
    `${unit} exposes at most ${EXPOSURE_MAX.toFixed(1)}`,
    async (programs) => {
      const args = ["security", "--offline=true", "--no-pager", pathOf(unit)];
      const { code, text } = await printed(programs["systemd-analyze"], args);
      assert.equal(code, 0, text);
      const exposure = /Overall exposure level for \S+: (\d+\.\d)/.exec(text)?.[1];
      assert.ok(exposure !== undefined && Number(exposure) <= EXPOSURE_MAX, text);
    },
  );
}

await debianTest(["systemd-analyze"], "systemd understands every line of the units", async (programs) => {
  const args = ["verify", "--man=no", "--recursive-errors=no", ...[SERVER, BACKUP, TIMER].map(pathOf)];
  const { text } = await printed(programs["systemd-analyze"], args);
  // The programs are not installed here; nothing else may be wrong.
  const wrong = text.trim().split("\n").filter((line) =>
    line !== "" && !/Command \/usr\/bin\/eventstore-\w+ is not executable/.test(line)
  );
  assert.deepEqual(wrong, []);
});

Deno.test("the server's unit says what the package and the settings say", () => {
  const unit = unitFile(SERVER);
  assert.equal(unit.one("ExecStart"), `/usr/bin/eventstore-server --config ${CONFIG_PATH}`);
  assert.deepEqual([unit.one("User"), unit.one("Group")], [USER, USER]);
  assert.equal(`/var/lib/${unit.one("StateDirectory")}`, DATA_DIRECTORY);
  assert.equal(unit.one("WorkingDirectory"), DATA_DIRECTORY);
  assert.equal(`/run/${unit.one("RuntimeDirectory")}/service.sock`, SOCKET_PATH);
  assert.equal(unit.one("EnvironmentFile"), `-${TOKENS_PATH}`);
  assert.equal(unit.one("RestartPreventExitStatus"), "2");
  assert.equal(unit.one("LimitNOFILE"), "65536");
  assert.ok(Number(unit.one("TimeoutStopSec")) > 10);
});

Deno.test("the backup's unit says what the package says, and the timer starts it", () => {
  const unit = unitFile(BACKUP);
  assert.equal(unit.one("ExecStart"), `/usr/bin/eventstore-backup --config ${CONFIG_PATH}`);
  assert.deepEqual([unit.one("User"), unit.one("Group")], [USER, USER]);
  assert.equal(`/var/lib/${unit.one("StateDirectory")}`, BACKUP_DIRECTORY);
  assert.equal(unit.one("EnvironmentFile"), `-${TOKENS_PATH}`);
  assert.equal(unit.one("RestartPreventExitStatus"), "2");
  assert.equal(unit.one("LimitNOFILE"), "65536");
  assert.deepEqual(unitFile(TIMER).all("Unit"), [], "the timer starts the unit of its own name");
});

Deno.test("server and backup live in the same cage", () => {
  const cage = (unit: string): string => {
    const text = Deno.readTextFileSync(pathOf(unit));
    return text.slice(text.indexOf("NoNewPrivileges=yes")).split("\n[Install]")[0]!.trim();
  };
  assert.ok(cage(SERVER).includes("SystemCallFilter="));
  assert.equal(cage(BACKUP), cage(SERVER));
});
