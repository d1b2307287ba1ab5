import assert from "node:assert/strict";
import fc from "fast-check";
import type { Value } from "../../src/config/check.ts";
import { unusedSettings } from "../../src/config/in_effect.ts";
import type { Loaded, ServerSettings } from "../../src/config/load.ts";
import { defaultConfigText, printConfigText, settingsHelp, tomlText } from "../../src/config/print.ts";
import { settingsOf } from "../../src/config/settings.ts";
import { parseToml, type TomlTable } from "../../src/config/toml.ts";
import { loadBackupText, loadServerText, serverProblemsOf } from "./load_text.ts";
import { plain } from "./plain_toml.ts";

/** The starter file with every setting that has a default uncommented. */
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
    assert.deepEqual(found?.value, setting.default, key);
    assert.equal(found?.source, setting.default === undefined ? "default" : "file", key);
  }
  const backup = loadBackupText(uncommented(), { SERVICE_BACKUP_SOURCE_SOCKET: "/s" }).settings;
  assert.equal(backup.dataDir, `${Deno.cwd()}/backup`);
});

Deno.test("the starter file says for each key its meaning, its variable, its range and whose edition it is", () => {
  const entry = "\n# Requests that may wait for a ticket at once.\n" +
    "# SERVICE_MAX_QUEUED_TRANSACTIONS; edition C only; 1 to 2147483647.\n#maxQueuedTransactions = 100\n";
  assert.ok(defaultConfigText().includes(entry));
  assert.ok(
    defaultConfigText().includes("# SERVICE_MAX_QUEUED_WRITES; editions A and B; 1 to 2147483647.\n"),
  );
  assert.ok(defaultConfigText().includes("# SERVICE_AUTH_TOKEN; no default.\n#authToken =\n"));
});

/** The keys that a printed configuration sets. */
function keysSetBy(text: string): string[] {
  const server = parseToml("config.toml", text).get("server")?.value;
  assert.ok(server instanceof Map);
  return [...(server as TomlTable).keys()];
}

Deno.test("the printed configuration is TOML with every value in effect, and names the source of each", () => {
  const loaded = loadServerText('[server]\ndataDir = "a b"\nlogLevel = "INFO"', { SERVICE_PORT: "9" });
  const text = printConfigText(loaded);
  const server = parseToml("config.toml", text).get("server")?.value as TomlTable;
  for (const [key, { value }] of server) {
    const known = loaded.values.find((found) => found.key === key)?.value;
    assert.deepEqual(value, typeof known === "number" ? BigInt(known) : known, key);
  }
  assert.match(text, /^dataDir = "a b" +# file \(\/.*config\.toml:2:1\)$/m);
  assert.match(text, /^logLevel = "info" +# file \(\/.*config\.toml:3:1\)$/m);
  assert.match(text, /^port = 9 +# environment \(SERVICE_PORT\)$/m);
  assert.match(text, /^maxEventsPerWrite = 100 +# default$/m);
});

Deno.test("what has no effect is printed as a comment that says why", () => {
  const tcp = printConfigText(loadServerText("[server]\nport = 9\nsocketMode = '0660'"));
  assert.match(tcp, /^# listens on http:\/\/127\.0\.0\.1:9\n# read from \/.*\/config\.toml\n\[server\]\n/);
  assert.match(tcp, /^# socketMode = "0660" +# file \(.*:3:1\); unused: the server listens on TCP$/m);
  assert.match(tcp, /^# authToken = +# default; unused: enableAuth is off$/m);
  assert.match(tcp, /^# maxOpenTx = 1000 +# default; unused in edition A$/m);
  const socket = printConfigText(loadServerText('[server]\nedition = "B"\nport = 9\nsocketPath = "s"'));
  assert.match(socket, /^# listens on \/.*\/s\n/);
  assert.match(socket, /^# port = 9 +# file \(.*\); unused: the server listens on socketPath$/m);
  assert.match(socket, /^maxOpenTx = 1000 +# default$/m);
  assert.match(socket, /^# maxEventsPerWrite = 100 +# default; unused in edition B$/m);
  assert.deepEqual(keysSetBy(socket).filter((key) => /^(port|bindAddress|authToken)$/.test(key)), []);
});

Deno.test("allowed hosts are printed as an array, and have no effect with enableAuth", () => {
  const file = '[server]\nallowedHosts = ["a.example","::1"]';
  assert.match(printConfigText(loadServerText(file)), /^allowedHosts = \["a\.example", "::1"\] +# file/m);
  assert.match(printConfigText(loadServerText("")), /^allowedHosts = \[\] +# default$/m);
  const auth = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: "t" };
  assert.match(
    printConfigText(loadServerText(file, auth)),
    /^# allowedHosts = .*; unused: enableAuth is on$/m,
  );
});

Deno.test("the printed configuration masks the token, and sets none", () => {
  for (const isOn of [true, false]) {
    const variables = { SERVICE_AUTH_TOKEN: "topsecret", SERVICE_ENABLE_AUTH: String(isOn) };
    const text = printConfigText(loadServerText("", variables));
    assert.doesNotMatch(text, /topsecret/);
    assert.match(text, /^# authToken = "\*{8}" +# environment \(SERVICE_AUTH_TOKEN\); .*masked$/m);
    assert.equal(keysSetBy(text).includes("authToken"), false);
  }
  const fault = "authToken must be the token itself, not the mask that --print-config shows for it";
  assert.deepEqual(serverProblemsOf('[server]\nauthToken = "********"'), [`config.toml:2:1: ${fault}`]);
});

Deno.test("the printed configuration masks the URL of the database, and sets none", () => {
  const url = "postgresql://u:topsecret@db.example/shop";
  const text = printConfigText(loadServerText("[server]\nstorage = 'postgres'\nreadPoolSize = 3", {
    SERVICE_POSTGRES_URL: url,
  }));
  assert.doesNotMatch(text, /topsecret|db\.example/);
  assert.match(text, /^# postgresUrl = "\*{8}" +# environment \(SERVICE_POSTGRES_URL\); masked$/m);
  assert.match(text, /^storage = "postgres" /m);
  assert.match(text, /^postgresSchema = "eventstore" +# default$/m);
  assert.match(text, /^# readPoolSize = 3 +# file \(.*\); unused: storage is postgres$/m);
  assert.match(text, /^# dataDir = .*; unused: storage is postgres$/m);
  const fault = "postgresUrl must be the URL itself, not the mask that --print-config shows for it";
  const problems = serverProblemsOf('[server]\nstorage = "postgres"\npostgresUrl = "********"');
  assert.deepEqual(problems, [`config.toml:3:1: ${fault}`]);
});

Deno.test("settings of PostgreSQL have no effect on SQLite; its data directory holds the pause of edition C", () => {
  const sqlite = printConfigText(loadServerText(""));
  assert.match(sqlite, /^# postgresPoolSize = 8 +# default; unused: storage is sqlite$/m);
  assert.match(sqlite, /^# postgresUrl = +# default; unused: storage is sqlite$/m);
  const inC = printConfigText(loadServerText("[server]\nstorage = 'postgres'\nedition = 'C'", {
    SERVICE_POSTGRES_URL: "postgresql://u@localhost/d",
  }));
  assert.match(inC, /^dataDir = /m);
});

const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 20 })
  .filter((text) => text.isWellFormed() && !text.includes("\0") && !text.startsWith("~"));
const anyPath = anyText.map((text) => `/p${text}`);

/** Values of settings that fit together, as a file or a variable gives them. */
const anyValues: Readonly<Record<string, fc.Arbitrary<Value>>> = {
  edition: fc.constantFrom("A", "B", "C"),
  socketPath: anyPath,
  socketMode: fc.constantFrom("0", "0660", "777"),
  bindAddress: fc.constantFrom("::1", "[::1]", "localhost", "0.0.0.0", "events.example"),
  port: fc.integer({ min: 0, max: 65535 }),
  enableAuth: fc.boolean(),
  allowedHosts: fc.array(fc.constantFrom("a.example", "10.0.0.5", "::1"), { minLength: 1, maxLength: 3 }),
  dataDir: fc.oneof(anyPath, fc.constant("data")),
  storage: fc.constantFrom("sqlite", "postgres"),
  postgresSchema: fc.constantFrom("events", "_e2"),
  postgresPoolSize: fc.integer({ min: 1, max: 100 }),
  logLevel: fc.constantFrom("debug", "WARNING"),
  logReasons: fc.boolean(),
  devMode: fc.boolean(),
  maxEventsPerPage: fc.integer({ min: 1000, max: 2 ** 31 - 1 }),
  maxEventSize: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  maxTagsPerEvent: fc.integer({ min: 20, max: 256 }),
  maxOpenTx: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  maxTransactionDuration: fc.integer({ min: 5, max: 2_147_483 }),
};

const anyConfiguration = fc.record({
  inFile: fc.record(anyValues, { requiredKeys: [] }),
  inEnvironment: fc.record(anyValues, { requiredKeys: [] }),
});

Deno.test("a server that is given what was printed does the same, whatever the configuration is", () => {
  fc.assert(fc.property(anyConfiguration, ({ inFile, inEnvironment }) => {
    const lines = Object.entries(inFile).map(([key, value]) => `${key} = ${tomlText(value!)}\n`);
    const variables = Object.fromEntries(
      Object.entries(inEnvironment).map(([key, value]) => [variableOf(key), String(value)]),
    );
    const onPostgres = (inFile["storage"] ?? inEnvironment["storage"]) === "postgres";
    const secrets = {
      SERVICE_AUTH_TOKEN: "t",
      ...onPostgres ? { SERVICE_POSTGRES_URL: "postgresql://u:p@h/d" } : {},
    };
    const printed = loadServerText(`[server]\n${lines.join("")}`, { ...secrets, ...variables });
    const text = printConfigText(printed);
    const again = loadServerText(text, secrets);
    assert.deepEqual(inEffect(again), inEffect(printed), text);
    assert.equal(printConfigText(again).split("\n")[0], text.split("\n")[0]);
    assert.deepEqual([...unusedSettings(again.values).keys()], [...unusedSettings(printed.values).keys()]);
  }));
});

/** The settings that the server uses. Those of another edition may differ. */
function inEffect({ settings, values }: Loaded<ServerSettings>): unknown[] {
  const unused = unusedSettings(values);
  return Object.entries(settings).filter(([key]) => !unused.has(key)).sort();
}

function variableOf(key: string): string {
  return settingsOf("server").find(([name]) => name === key)![1].variable;
}

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
