import assert from "node:assert/strict";
import { type DebianProgram, debianTest } from "../support/debian_program.ts";
import { unitPath } from "../../packaging/unit_file.ts";
import { runCommand } from "../../support/run_command.ts";

const SERVER = "eventstore-server.service";
const STORE = "eventstore-server@.service";
const BACKUP = "eventstore-backup.service";
const TIMER = "eventstore-backup.timer";
const KEYS = "eventstore-keys.service";
const KEYS_TIMER = "eventstore-keys.timer";

const EXPOSURE_MAX = 2.0;

async function printed(
  program: DebianProgram,
  args: readonly string[],
): Promise<{ code: number; text: string }> {
  const env = { ...program.environment, LC_ALL: "C.UTF-8", SYSTEMD_LOG_LEVEL: "info" };
  const { code, stdout, stderr } = await runCommand([program.path, ...args], { env });
  return { code, text: stdout + stderr };
}

for (const unit of [SERVER, STORE, BACKUP, KEYS]) {
  await debianTest(
    ["systemd-analyze"],
    `${unit} exposes at most ${EXPOSURE_MAX.toFixed(1)}`,
    async (programs) => {
      const args = ["security", "--offline=true", "--no-pager", unitPath(unit)];
      const { code, text } = await printed(programs["systemd-analyze"], args);
      assert.equal(code, 0, text);
      const exposure = /Overall exposure level for \S+: (\d+\.\d)/.exec(text)?.[1];
      assert.ok(exposure !== undefined && Number(exposure) <= EXPOSURE_MAX, text);
    },
  );
}

await debianTest(["systemd-analyze"], "systemd understands every line of the units", async (programs) => {
  const args = [
    "verify",
    "--man=no",
    "--recursive-errors=no",
    ...[SERVER, STORE, BACKUP, TIMER, KEYS, KEYS_TIMER].map(unitPath),
  ];
  const { text } = await printed(programs["systemd-analyze"], args);
  // The programs are not installed here. Nothing else may be wrong.
  const wrong = text.trim().split("\n").filter((line) =>
    line !== "" && !/Command \/usr\/bin\/eventstore-\w+ is not executable/.test(line)
  );
  assert.deepEqual(wrong, []);
});
