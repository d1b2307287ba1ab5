import assert from "node:assert/strict";
import { loadServerText, serverProblemsOf } from "./load_text.ts";

const limits = [
  "defaultEventsPerPage",
  "maxEventsPerPage",
  "maxEventSize",
  "maxProjectionSize",
  "readPoolSize",
  "maxRequestBodySize",
  "maxQueuedWrites",
  "maxProjectionsPerWrite",
  "maxEventsPerWrite",
  "txIdleTimeout",
  "maxEventsPerTx",
  "maxReadsPerTx",
  "maxProjectionsPerTx",
  "maxOpenTx",
  "transactionTimeout",
  "maxTransactionDuration",
  "maxQueuedTransactions",
  "maxProjectionsPerRequest",
] as const;

Deno.test("every limit, whatever the edition, rejects 0 and less in the file and names itself by its place", () => {
  for (const key of limits) {
    for (const value of ["0", "-1", "-9223372036854775808"]) {
      const [problem, ...more] = serverProblemsOf(`[server]\n${key} = ${value}\n`);
      assert.match(
        problem!,
        new RegExp(`^config.toml:2:1: ${key} must be a whole number from 1 to \\d+, not ${value}$`),
      );
      assert.deepEqual(more, []);
    }
  }
});

Deno.test("every limit rejects 0, less and nothing in its variable and names the variable", () => {
  for (const key of limits) {
    const variable = `SERVICE_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
    for (const [value, shown] of [["0", '"0"'], ["-1", '"-1"'], ["", "an empty string"]] as const) {
      const [problem, ...more] = serverProblemsOf("", { [variable]: value });
      assert.match(
        problem!,
        new RegExp(`^${variable}: must be a whole number from 1 to \\d+, not ${shown}$`),
      );
      assert.deepEqual(more, []);
    }
  }
});

Deno.test("preloadMebibytes may be 0, but not less", () => {
  assert.equal(loadServerText("[server]\npreloadMebibytes = 0\n").settings.preloadMebibytes, 0);
  assert.deepEqual(serverProblemsOf("[server]\npreloadMebibytes = -1\n"), [
    "config.toml:2:1: preloadMebibytes must be a whole number from 0 to 2147483647, not -1",
  ]);
});

Deno.test("an integer in a variable is written in decimal digits only", () => {
  for (const value of ["abc", "1e3", "0x10", "+5", " 5", "5 ", "1_000", "8.0", "\u0665"]) {
    assert.deepEqual(serverProblemsOf("", { SERVICE_PORT: value }), [
      `SERVICE_PORT: must be a whole number from 0 to 65535, not ${JSON.stringify(value)}`,
    ]);
  }
  assert.equal(loadServerText("", { SERVICE_READ_POOL_SIZE: "12" }).settings.readPoolSize, 12);
});

Deno.test("an integer in the file may have any form that TOML gives an integer", () => {
  assert.equal(loadServerText("[server]\nmaxEventSize = 0x1_0000").settings.maxEventSize, 65536);
});

Deno.test("a value of another type in the file is rejected", () => {
  const wanted = "port must be a whole number from 0 to 65535";
  for (
    const [value, shown] of [
      ['"8085"', '"8085"'],
      ["8085.0", "the float 8085"],
      ["true", "true"],
      ["[8085]", "an array"],
      ["{}", "a table"],
      ["1979-05-27", "a date"],
    ] as const
  ) {
    assert.deepEqual(serverProblemsOf(`[server]\nport = ${value}`), [
      `config.toml:2:1: ${wanted}, not ${shown}`,
    ]);
  }
  assert.deepEqual(serverProblemsOf("[server]\ndataDir = 5"), [
    "config.toml:2:1: dataDir must be a non-empty path, not 5",
  ]);
});

Deno.test("the port lies from 0 to 65535", () => {
  for (const value of [65536, 70000]) {
    const fault = "must be a whole number from 0 to 65535, not";
    assert.deepEqual(serverProblemsOf(`[server]\nport = ${value}`), [
      `config.toml:2:1: port ${fault} ${value}`,
    ]);
    assert.deepEqual(serverProblemsOf("", { SERVICE_PORT: `${value}` }), [
      `SERVICE_PORT: ${fault} "${value}"`,
    ]);
  }
  for (const port of [0, 1, 65535]) {
    assert.deepEqual(loadServerText(`[server]\nport = ${port}`).settings.listen, {
      transport: "tcp",
      hostname: "127.0.0.1",
      port,
    });
  }
});

Deno.test("a number too large for any limit is rejected and not rounded", () => {
  assert.deepEqual(serverProblemsOf("[server]\nmaxOpenTx = 9223372036854775807"), [
    "config.toml:2:1: maxOpenTx must be a whole number from 1 to 2147483647, not 9223372036854775807",
  ]);
  assert.deepEqual(serverProblemsOf("", { SERVICE_TX_IDLE_TIMEOUT: "2147484" }), [
    'SERVICE_TX_IDLE_TIMEOUT: must be a whole number from 1 to 2147483, not "2147484"',
  ]);
});

Deno.test("a boolean in a variable is true, false, 1 or 0", () => {
  const devMode = (value: string): boolean =>
    loadServerText("", { SERVICE_DEV_MODE: value }).settings.devMode;
  assert.deepEqual(["true", "1", "false", "0"].map(devMode), [true, true, false, false]);
  for (const value of ["yes", "True", "on", "2", ""]) {
    assert.deepEqual(serverProblemsOf("", { SERVICE_DEV_MODE: value }), [
      `SERVICE_DEV_MODE: must be true, false, 1 or 0, not ${value === "" ? "an empty string" : `"${value}"`}`,
    ]);
  }
});

Deno.test("a boolean in the file is a TOML boolean", () => {
  assert.equal(loadServerText("[server]\ndevMode = true").settings.devMode, true);
  assert.deepEqual(serverProblemsOf('[server]\ndevMode = "true"'), [
    'config.toml:2:1: devMode must be true or false, not "true"',
  ]);
  assert.deepEqual(serverProblemsOf("[server]\ndevMode = 1"), [
    "config.toml:2:1: devMode must be true or false, not 1",
  ]);
});

Deno.test("the log level is recognized in any case, the edition only as it is written", () => {
  assert.equal(loadServerText("", { SERVICE_LOG_LEVEL: "DEBUG" }).settings.logLevel, "debug");
  assert.equal(loadServerText('[server]\nlogLevel = "Error"').settings.logLevel, "error");
  assert.equal(loadServerText('[server]\nedition = "C"').settings.edition, "C");
  assert.deepEqual(serverProblemsOf('[server]\nedition = "c"\nlogLevel = "loud"'), [
    'config.toml:2:1: edition must be one of "A", "B", "C", not "c"',
    'config.toml:3:1: logLevel must be one of "debug", "info", "warning", "error", not "loud"',
  ]);
});

Deno.test("the socket mode is a string of octal digits up to 0777", () => {
  for (const [text, mode] of [["0660", 0o660], ["777", 0o777], ["0", 0]] as const) {
    const { listen } = loadServerText(`[server]\nsocketMode = "${text}"`).settings;
    assert.deepEqual(listen, { transport: "unix", path: "/run/service/service.sock", mode });
  }
  for (const value of ["0o600", "1000", "888", "rw", "-1", "00600"]) {
    assert.deepEqual(serverProblemsOf("", { SERVICE_SOCKET_MODE: value }), [
      `SERVICE_SOCKET_MODE: must be a string of octal digits from "0" to "0777", not "${value}"`,
    ]);
  }
  assert.deepEqual(serverProblemsOf("[server]\nsocketMode = 0o600"), [
    'config.toml:2:1: socketMode must be a string of octal digits from "0" to "0777", not 384: ' +
    'write it in quotes, as in "0600"',
  ]);
});

Deno.test("a socket path has at most 107 bytes, counted in UTF-8", () => {
  const longest = `/${"s".repeat(104)}\u00e9`;
  assert.deepEqual(loadServerText("", { SERVICE_SOCKET_PATH: longest }).settings.listen, {
    transport: "unix",
    path: longest,
    mode: 0o600,
  });
  assert.deepEqual(serverProblemsOf("", { SERVICE_SOCKET_PATH: `${longest}s` }), [
    `SERVICE_SOCKET_PATH: must be a path of 1 to 107 bytes, not "${longest}s"`,
  ]);
});

Deno.test("an empty string is rejected by name, in the file and in variables", () => {
  for (
    const key of ["socketPath", "socketMode", "bindAddress", "authToken", "dataDir", "logLevel", "edition"]
  ) {
    const inFile = serverProblemsOf(`[server]\n${key} = ""`).join("\n");
    assert.match(inFile, new RegExp(`^config.toml:2:1: ${key} must be [^\n]*$`));
    const variable = `SERVICE_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
    assert.match(
      serverProblemsOf("", { [variable]: "" }).join("\n"),
      new RegExp(`^${variable}: must be [^\n]*$`),
    );
  }
});

Deno.test("a list of hosts names the item that is none, in the file and in the variable", () => {
  const hosts = "host names and IP addresses without scheme and port";
  for (
    const [value, shown] of [
      ['["a.example", "b.example:443"]', '"b.example:443"'],
      ['["https://a.example"]', '"https://a.example"'],
      ['["*.example"]', '"*.example"'],
      ['[""]', "an empty string"],
      ["[8085]", "8085"],
      ['[["a.example"]]', "an array"],
      ['"a.example"', '"a.example"'],
      ["true", "true"],
    ] as const
  ) {
    assert.deepEqual(serverProblemsOf(`[server]\nallowedHosts = ${value}`), [
      `config.toml:2:1: allowedHosts must be a list of ${hosts}, as in ["events.example.com"], not ${shown}`,
    ]);
  }
  for (
    const [value, shown] of [
      ["", "an empty string"],
      ["a.example,", "an empty string"],
      ["a.example b.example", '"a.example b.example"'],
      ['["a.example"]', '"[\\"a.example\\"]"'],
    ] as const
  ) {
    assert.deepEqual(serverProblemsOf("", { SERVICE_ALLOWED_HOSTS: value }), [
      `SERVICE_ALLOWED_HOSTS: must be ${hosts}, with commas in between, not ${shown}`,
    ]);
  }
});

Deno.test("a path with a NUL is rejected", () => {
  assert.deepEqual(serverProblemsOf('[server]\ndataDir = "a\\u0000b"'), [
    'config.toml:2:1: dataDir must be a non-empty path, not "a\\u0000b"',
  ]);
});

Deno.test("a token that no header can carry is rejected and never shown", () => {
  const fault = "must be a non-empty string of printable ASCII characters without leading or trailing spaces";
  for (const token of ["secret\n", " secret", "secret ", "s\u00e9cret", ""]) {
    assert.deepEqual(serverProblemsOf("", { SERVICE_AUTH_TOKEN: token }), [`SERVICE_AUTH_TOKEN: ${fault}`]);
  }
  assert.deepEqual(serverProblemsOf("[server]\nauthToken = 12345"), [`config.toml:2:1: authToken ${fault}`]);
  const variables = { SERVICE_ENABLE_AUTH: "1", SERVICE_AUTH_TOKEN: "pass phrase~!" };
  assert.equal(loadServerText("", variables).settings.authToken, "pass phrase~!");
});
