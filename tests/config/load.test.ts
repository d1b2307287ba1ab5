import assert from "node:assert/strict";
import fc from "fast-check";
import { loadServerSettings } from "../../src/config/load.ts";
import { loadBackupText, loadServerText, serverProblemsOf } from "./load_text.ts";

Deno.test("without file and environment every setting has its default", () => {
  const { settings, values, warnings } = loadServerText("");
  assert.deepEqual(settings.listen, { transport: "unix", path: "/run/service/service.sock", mode: 0o600 });
  assert.equal(settings.edition, "A");
  assert.equal(settings.authToken, undefined);
  assert.equal(settings.logLevel, "warning");
  assert.equal(settings.devMode, false);
  assert.equal(settings.maxQueuedWrites, 100);
  assert.deepEqual(new Set(values.map(({ source }) => source)), new Set(["default"]));
  assert.deepEqual(warnings, []);
});

Deno.test("a program reads only its own section: what is wrong in the other one does not stop it", () => {
  assert.equal(loadServerText('[backup]\npageLimit = 0\nsourceUrl = ""').settings.edition, "A");
  const server = "[server]\nport = 65536\nenableAuth = true\n";
  assert.equal(loadBackupText(`${server}[backup]\nsourceSocket = "s"`).settings.pageLimit, 1000);
});

Deno.test("a program reads no variable of another program", () => {
  const asked: string[] = [];
  loadServerSettings({
    configPath: new URL("../../config.example.toml", import.meta.url).pathname,
    env: (name) => void asked.push(name),
  });
  assert.equal(asked.length, 46);
  assert.deepEqual(asked.filter((name) => name.startsWith("SERVICE_BACKUP")), []);
});

Deno.test("a variable that the file hides is not looked at", () => {
  assert.equal(loadServerText("[server]\nmaxOpenTx = 7", { SERVICE_MAX_OPEN_TX: "x" }).settings.maxOpenTx, 7);
});

Deno.test("the settings of other editions are checked, in every edition", () => {
  assert.deepEqual(serverProblemsOf('[server]\nedition = "A"\nmaxOpenTx = 0\ntransactionTimeout = 16'), [
    "config.toml:3:1: maxOpenTx must be a whole number from 1 to 2147483647, not 0",
    "config.toml:4:1: transactionTimeout (16) must not exceed maxTransactionDuration (15)",
  ]);
});

Deno.test("all problems are reported at once: unknown keys, wrong values, contradictions", () => {
  const text = "prot = 1\n[server]\nsockettPath = 's'\nreadPoolSize = 'many'\nenableAuth = true\n[cache]\n";
  assert.deepEqual(serverProblemsOf(text, { SERVICE_PORT: "abc", SERVICE_MAX_EVENTS_PER_PAGE: "999" }), [
    'config.toml:1:1: key "prot" outside any section, did you mean "port"?',
    'config.toml:3:1: unknown key "sockettPath" in [server], did you mean "socketPath"?',
    "config.toml:6:2: unknown section [cache]",
    'SERVICE_PORT: must be a whole number from 0 to 65535, not "abc"',
    'config.toml:4:1: readPoolSize must be a whole number from 1 to 2147483647, not "many"',
    "SERVICE_MAX_EVENTS_PER_PAGE: defaultEventsPerPage (1000) must not exceed maxEventsPerPage (999)",
    "config.toml:5:1: enableAuth is on, but authToken is not set: set it or SERVICE_AUTH_TOKEN, or add [[tokens]]",
  ]);
});

Deno.test("the server listens on the default socket, on TCP once address or port is set, on a socket that is set", () => {
  const listen = (text: string, variables = {}): unknown => loadServerText(text, variables).settings.listen;
  const tcp = (hostname: string, port: number): unknown => ({ transport: "tcp", hostname, port });
  const unix = (path: string): unknown => ({ transport: "unix", path, mode: 0o600 });
  assert.deepEqual(listen(""), unix("/run/service/service.sock"));
  assert.deepEqual(listen("[server]\nport = 9"), tcp("127.0.0.1", 9));
  assert.deepEqual(listen('[server]\nbindAddress = "::1"'), tcp("::1", 8085));
  assert.deepEqual(listen("", { SERVICE_BIND_ADDRESS: "0.0.0.0", SERVICE_PORT: "9" }), tcp("0.0.0.0", 9));
  assert.deepEqual(listen("[server]\nport = 8085"), tcp("127.0.0.1", 8085), "set, though to the default");
  assert.deepEqual(listen("[server]\nport = 9", { SERVICE_SOCKET_PATH: "/s" }), unix("/s"));
  assert.deepEqual(listen('[server]\nsocketPath = "/s"', { SERVICE_PORT: "9" }), unix("/s"));
  const setToDefault = '[server]\nport = 9\nsocketPath = "/run/service/service.sock"';
  assert.deepEqual(listen(setToDefault), unix("/run/service/service.sock"));
});

Deno.test("there is a token only when authentication is on", () => {
  const token = (variables: Record<string, string>): string | undefined =>
    loadServerText("", variables).settings.authToken;
  assert.equal(token({ SERVICE_AUTH_TOKEN: "t" }), undefined);
  assert.equal(token({ SERVICE_AUTH_TOKEN: "t", SERVICE_ENABLE_AUTH: "true" }), "t");
});

Deno.test("the hosts that are allowed are an array in the file, and have commas in between in the variable", () => {
  const hosts = (text: string, variables = {}): readonly string[] =>
    loadServerText(text, variables).settings.allowedHosts;
  assert.deepEqual(hosts(""), []);
  assert.deepEqual(hosts('[server]\nallowedHosts = ["shop.example", "10.0.0.5", "::1"]'), [
    "shop.example",
    "10.0.0.5",
    "::1",
  ]);
  assert.deepEqual(hosts("", { SERVICE_ALLOWED_HOSTS: "shop.example, b.example" }), [
    "shop.example",
    "b.example",
  ]);
  const both = { SERVICE_ALLOWED_HOSTS: "a.example,b.example" };
  assert.deepEqual(loadServerText('[server]\nallowedHosts = ["a.example", "b.example"]', both).warnings, []);
  const [warning, ...more] = loadServerText('[server]\nallowedHosts = ["a.example"]', both).warnings;
  assert.match(warning!, /^SERVICE_ALLOWED_HOSTS has no effect: allowedHosts at .*:2:1 wins$/);
  assert.deepEqual(more, []);
});

Deno.test("subjects are a list too, of any names but the empty one", () => {
  const subjects = (text: string, variables = {}): readonly string[] =>
    loadServerText(text, variables).settings.subjects;
  assert.deepEqual(subjects(""), []);
  assert.deepEqual(subjects('[server]\nsubjects = ["student", "customer of a shop"]'), [
    "student",
    "customer of a shop",
  ]);
  assert.deepEqual(subjects("", { SERVICE_SUBJECTS: "student, customer" }), ["student", "customer"]);
  const problem = (list: string, given: string): void =>
    assert.deepEqual(serverProblemsOf(`[server]\nsubjects = ${list}`), [
      `config.toml:2:1: subjects must be a list of names of identifiers, as in ["student"], not ${given}`,
    ]);
  problem('["student", ""]', "an empty string");
  problem('"student"', '"student"');
  problem("[7]", "7");
  problem('["a\\u0000b"]', '"a\\u0000b"');
});

Deno.test("an address that others can reach gets a warning without a token, a stronger one in development mode", () => {
  const warnings = (variables: Record<string, string>): readonly string[] =>
    loadServerText("", { SERVICE_PORT: "9", ...variables }).warnings;
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "localhost", "::ffff:127.0.0.1"]) {
    assert.deepEqual(warnings({ SERVICE_BIND_ADDRESS: address, SERVICE_DEV_MODE: "true" }), [], address);
  }
  const open = (where: string): string =>
    `${where} can be reached by others and enableAuth is off: they can `;
  for (
    const [address, where] of [
      ["0.0.0.0", "http://0.0.0.0:9"],
      ["::", "http://[::]:9"],
      ["10.0.0.1", "http://10.0.0.1:9"],
      ["events.example.com", "http://events.example.com:9"],
    ] as const
  ) {
    const at = { SERVICE_BIND_ADDRESS: address };
    assert.deepEqual(warnings(at), [`${open(where)}read and write everything`]);
    const strong = `${open(where)}DELETE EVERYTHING (POST /reset, development mode)`;
    assert.deepEqual(warnings({ ...at, SERVICE_DEV_MODE: "true" }), [strong]);
    const auth = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: "t" };
    assert.deepEqual(warnings({ ...at, ...auth, SERVICE_DEV_MODE: "true" }), []);
    assert.deepEqual(warnings({ ...at, SERVICE_SOCKET_PATH: "/s" }), [], "it listens on the socket");
  }
});

type Value = string | number | boolean;

// Values are chosen so that no combination with each other or with a default contradicts.
const rows: readonly (readonly [string, string, fc.Arbitrary<Value>, Value | undefined])[] = [
  ["edition", "SERVICE_EDITION", fc.constantFrom("A", "B", "C"), "A"],
  ["socketPath", "SERVICE_SOCKET_PATH", fc.constantFrom("/s", "a b#.sock"), "/run/service/service.sock"],
  ["socketMode", "SERVICE_SOCKET_MODE", fc.constantFrom("0660", "0"), "0600"],
  ["port", "SERVICE_PORT", fc.integer({ min: 0, max: 65535 }), 8085],
  ["authToken", "SERVICE_AUTH_TOKEN", fc.constantFrom("t", 'quo"te\\'), undefined],
  ["dataDir", "SERVICE_DATA_DIR", fc.constantFrom("/d", "\u00e9"), "data"],
  ["logLevel", "SERVICE_LOG_LEVEL", fc.constantFrom("debug", "error"), "warning"],
  ["devMode", "SERVICE_DEV_MODE", fc.boolean(), false],
  ["maxEventsPerPage", "SERVICE_MAX_EVENTS_PER_PAGE", fc.integer({ min: 1000, max: 2 ** 31 - 1 }), 10000],
  ["maxTagsPerEvent", "SERVICE_MAX_TAGS_PER_EVENT", fc.integer({ min: 20, max: 256 }), 20],
  ["maxEventSize", "SERVICE_MAX_EVENT_SIZE", fc.integer({ min: 1, max: 2 ** 31 - 1 }), 65536],
  ["maxOpenTx", "SERVICE_MAX_OPEN_TX", fc.integer({ min: 1, max: 2 ** 31 - 1 }), 1000],
  ["transactionTimeout", "SERVICE_TRANSACTION_TIMEOUT", fc.integer({ min: 1, max: 15 }), 5],
];

Deno.test("any settings, spread over file and environment, resolve to file over environment over default", () => {
  const spread = fc.tuple(
    ...rows.map(([key, variable, value, fallback]) =>
      fc.record({ inFile: fc.option(value), inEnvironment: fc.option(value) })
        .map((where) => ({ key, variable, fallback, ...where }))
    ),
  );
  fc.assert(fc.property(spread, (settings) => {
    const lines = settings.filter(({ inFile }) => inFile !== null)
      .map(({ key, inFile }) => `${key} = ${JSON.stringify(inFile)}\n`);
    const variables = Object.fromEntries(
      settings.filter(({ inEnvironment }) => inEnvironment !== null)
        .map(({ variable, inEnvironment }) => [variable, String(inEnvironment)]),
    );
    const { values } = loadServerText(`[server]\n${lines.join("")}`, variables);
    for (const { key, variable, fallback, inFile, inEnvironment } of settings) {
      const found = values.find((value) => value.key === key)!;
      const source = inFile !== null ? "file" : inEnvironment !== null ? "environment" : "default";
      assert.equal(found.value, inFile ?? inEnvironment ?? fallback, key);
      assert.equal(found.source, source, key);
      if (source === "environment") assert.equal(found.origin, variable);
    }
    assert.equal(values.length, 46);
  }));
});
