import assert from "node:assert/strict";
import {
  BACKUP_DIRECTORY,
  CONFIG_PATH,
  DATA_DIRECTORY,
  KEYS_DIRECTORY,
  SOCKET_PATH,
  TOKENS_PATH,
  USER,
} from "../../tools/packaging/paths.ts";
import { unitFile, unitPath } from "./unit_file.ts";

const SERVER = "eventstore-server.service";
const STORE = "eventstore-server@.service";
const BACKUP = "eventstore-backup.service";
const TIMER = "eventstore-backup.timer";
const KEYS = "eventstore-keys.service";
const KEYS_TIMER = "eventstore-keys.timer";

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

Deno.test("the unit of the keys copies as the backup does, and its timer starts it", () => {
  const [unit, backup] = [unitFile(KEYS), unitFile(BACKUP)];
  const copy = unit.all("ExecStart")[0]!;
  assert.ok(
    copy.startsWith(`/bin/sh -c 'exec /usr/bin/eventstore-backup keys --quiet --config ${CONFIG_PATH} `),
  );
  for (
    const key of ["User", "Group", "EnvironmentFile", "RestartPreventExitStatus", "LimitNOFILE", "UMask"]
  ) {
    assert.equal(unit.one(key), backup.one(key), key);
  }
  assert.equal(unit.one("WorkingDirectory"), KEYS_DIRECTORY);
  assert.equal(`/var/lib/${unit.one("StateDirectory")}`, KEYS_DIRECTORY);
  assert.equal(unit.one("StateDirectoryMode"), "0700");
  assert.deepEqual(unitFile(KEYS_TIMER).all("Unit"), [], "the timer starts the unit of its own name");
});

Deno.test("the unit of one of several stores differs from the server's in names only", () => {
  const lines = (unit: string): string[] => Deno.readTextFileSync(unitPath(unit)).split("\n");
  const own = (unit: string, other: string): string[] =>
    lines(unit).filter((line) => !lines(other).includes(line));
  assert.deepEqual(own(STORE, SERVER), [
    "Description=Event store over HTTP, store %i",
    "Documentation=man:eventstore-server(1) man:eventstore.toml(5) file:///usr/share/doc/eventstore/docs/install.md",
    "ExecStart=/usr/bin/eventstore-server --config /etc/eventstore/stores/%i.toml",
    "ExecReload=/bin/sh -c '/usr/bin/eventstore-server --config /etc/eventstore/stores/%i.toml --print-config | " +
    `grep -q "^enableAuth = true" && kill -HUP $$MAINPID'`,
    "EnvironmentFile=-/etc/eventstore/stores/%i.env",
    "WorkingDirectory=/var/lib/eventstores/%i",
    "StateDirectory=eventstores/%i",
    "# For a socket; socketMode says who may connect.",
    "RuntimeDirectory=eventstores/%i",
  ]);
  assert.equal(lines(STORE).length, lines(SERVER).length);
});

Deno.test("each unit names its manual page, and a page that the package ships", () => {
  for (const unit of [SERVER, STORE, BACKUP, TIMER, KEYS, KEYS_TIMER]) {
    const documentation = unitFile(unit).one("Documentation").split(" ");
    const [page, ...others] = documentation.filter((place) => place.startsWith("file:"));
    assert.deepEqual(others, []);
    const path = page!.replace(/^file:\/\/\/usr\/share\/doc\/eventstore\//, "");
    assert.ok(Deno.statSync(new URL(`../../${path}`, import.meta.url)).isFile, page);
    assert.ok(documentation.some((place) => place.startsWith("man:")), unit);
  }
});

Deno.test("server, backup and copies of keys live in the same cage", () => {
  const cage = (unit: string): string => {
    const text = Deno.readTextFileSync(unitPath(unit));
    return text.slice(text.indexOf("NoNewPrivileges=yes")).split("\n[Install]")[0]!.trim();
  };
  assert.ok(cage(SERVER).includes("SystemCallFilter="));
  assert.equal(cage(BACKUP), cage(SERVER));
  assert.equal(cage(KEYS), cage(SERVER));
});
