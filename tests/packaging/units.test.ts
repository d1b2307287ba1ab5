import assert from "node:assert/strict";
import {
  BACKUP_DIRECTORY,
  CONFIG_PATH,
  DATA_DIRECTORY,
  SOCKET_PATH,
  TOKENS_PATH,
  USER,
} from "../../tools/packaging/places.ts";
import { unitFile, unitPath } from "./unit_file.ts";

const SERVER = "eventstore-server.service";
const BACKUP = "eventstore-backup.service";
const TIMER = "eventstore-backup.timer";

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
    const text = Deno.readTextFileSync(unitPath(unit));
    return text.slice(text.indexOf("NoNewPrivileges=yes")).split("\n[Install]")[0]!.trim();
  };
  assert.ok(cage(SERVER).includes("SystemCallFilter="));
  assert.equal(cage(BACKUP), cage(SERVER));
});
