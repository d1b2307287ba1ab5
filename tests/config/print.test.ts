import assert from "node:assert/strict";
import { defaultConfigText, printConfigText, settingsHelp } from "../../src/config/print.ts";
import { settingsOf } from "../../src/config/settings.ts";
import { parseToml, type TomlTable } from "../../src/config/toml.ts";
import { loadBackupText, loadServerText } from "./load_text.ts";
import { plain } from "./plain_toml.ts";

/** The starter file with every setting that has a default put into force. */
function uncommented(): string {
  return defaultConfigText().replaceAll(/^#(\w+ = .)/gm, "$1");
}

Deno.test("the starter file holds every setting, each commented out", () => {
  assert.deepEqual(
    plain(parseToml("config.toml", defaultConfigText())),
    plain(parseToml("config.toml", "[server]\n[backup]\n")),
  );
  const keys = [...defaultConfigText().matchAll(/^#(\w+) =/gm)].map((match) => match[1]);
  const inTable = [...settingsOf("server"), ...settingsOf("backup")].map(([key]) => key);
  assert.deepEqual(keys, inTable);
});

Deno.test("the starter file with every line put into force loads and gives the defaults", () => {
  const { values } = loadServerText(uncommented());
  for (const [key, setting] of settingsOf("server")) {
    const found = values.find((value) => value.key === key);
    assert.equal(found?.value, setting.default, key);
    assert.equal(found?.source, setting.default === undefined ? "default" : "file", key);
  }
  const backup = loadBackupText(uncommented(), { SERVICE_BACKUP_SOURCE_SOCKET: "/s" }).settings;
  assert.equal(backup.dataDir, "backup");
});

Deno.test("the starter file says for each key its meaning, its variable, its range and whose edition it is", () => {
  const entry = "\n# Requests waiting for a ticket at once.\n" +
    "# SERVICE_MAX_QUEUED_TRANSACTIONS; edition C only; 1 to 2147483647.\n#maxQueuedTransactions = 100\n";
  assert.ok(defaultConfigText().includes(entry));
  assert.ok(
    defaultConfigText().includes("# SERVICE_MAX_QUEUED_WRITES; editions A and B; 1 to 2147483647.\n"),
  );
  assert.ok(defaultConfigText().includes("# SERVICE_AUTH_TOKEN; no default.\n#authToken =\n"));
});

Deno.test("the printed configuration is TOML with every value, and names the source of each", () => {
  const { values } = loadServerText('[server]\ndataDir = "a b"\nlogLevel = "INFO"', { SERVICE_PORT: "9" });
  const text = printConfigText(values);
  const server = parseToml("config.toml", text).get("server")?.value;
  assert.ok(server instanceof Map);
  assert.equal(server.size, 27, "all but authToken, which has no value");
  for (const [key, { value }] of server as TomlTable) {
    const loaded = values.find((found) => found.key === key)?.value;
    assert.equal(value, typeof loaded === "number" ? BigInt(loaded) : loaded, key);
  }
  assert.match(text, /^dataDir = "a b" +# file \(.*config\.toml:2:1\)$/m);
  assert.match(text, /^logLevel = "info" +# file \(.*config\.toml:3:1\)$/m);
  assert.match(text, /^port = 9 +# environment \(SERVICE_PORT\)$/m);
  assert.match(text, /^maxOpenTx = 1000 +# default$/m);
  assert.match(text, /^# authToken = +# default$/m);
});

Deno.test("the printed configuration masks the tokens of every section", () => {
  const server = loadServerText("", { SERVICE_AUTH_TOKEN: "topsecret" }).values;
  const backup = loadBackupText('[backup]\nsourceToken = "topsecret"\nsourceSocket = "/s"').values;
  for (const text of [printConfigText(server), printConfigText(backup)]) {
    assert.doesNotMatch(text, /topsecret/);
    assert.match(text, /Token = "\*+" +# (file|environment) /);
  }
  assert.match(printConfigText(backup), /^\[backup\]\n/);
});

Deno.test("the help lists the settings of one section, or those that are asked for", () => {
  const help = settingsHelp("server");
  for (const [key, { variable }] of settingsOf("server")) {
    assert.match(help, new RegExp(`^  ${key}\n.*\n.*${variable}`, "m"));
  }
  assert.doesNotMatch(help, /pageLimit/);
  assert.equal(
    settingsHelp("backup", ["dataDir"]),
    '  dataDir\n      directory that holds the backups\n      SERVICE_BACKUP_DATA_DIR; default "backup"\n',
  );
});
