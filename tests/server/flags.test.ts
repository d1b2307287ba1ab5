import assert from "node:assert/strict";
import { join } from "node:path";
import type { Ended } from "../support/run_command.ts";
import { runWithFlags } from "./configured_run.ts";

interface FlagsRun {
  readonly args: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the server with these flags in a directory of its own and asserts that it leaves nothing there. */
async function run({ args, files: texts = {}, env = {} }: FlagsRun): Promise<Ended> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  try {
    const files = Object.entries(texts);
    for (const [name, text] of files) Deno.writeTextFileSync(join(directory, name), text, { mode: 0o600 });
    const ended = await runWithFlags(directory, args, env);
    const left = [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
    assert.deepEqual(left, files.map(([name]) => name).sort(), "nothing was opened or made");
    return ended;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

function assertPrinted(ended: Ended, ...expected: RegExp[]): void {
  assert.deepEqual([ended.code, ended.stderr], [0, ""], ended.stderr);
  for (const pattern of expected) assert.match(ended.stdout, pattern);
}

/** Asserts exit code 2, nothing on standard output, and exactly these problems, one line each, in any order. */
function assertProblems(ended: Ended, ...expected: RegExp[]): void {
  assert.deepEqual([ended.code, ended.stdout], [2, ""], ended.stdout + ended.stderr);
  const lines = ended.stderr.trimEnd().split("\n");
  assert.equal(lines.length, expected.length, ended.stderr);
  for (const line of lines) assert.match(line, /^eventstore-server: /);
  for (const pattern of expected) {
    assert.ok(lines.some((line) => pattern.test(line)), `${pattern}\n${ended.stderr}`);
  }
}

Deno.test("--help prints usage, every flag and every setting, and exits 0", async () => {
  assertPrinted(
    await run({ args: ["--help"] }),
    /^eventstore-server: /,
    ...["--config <path>", "--check-config", "--print-config", "--default-config", "--version", "--help"].map(
      (flag) => new RegExp(`^  ${flag}`, "m"),
    ),
    /SERVICE_SOCKET_PATH/,
    /SERVICE_MAX_QUEUED_WRITES/,
  );
});

Deno.test("-h is --help", async () => {
  assert.deepEqual(await run({ args: ["-h"] }), await run({ args: ["--help"] }));
});

Deno.test("a setting given like a flag is one problem, which says how to set it", async () => {
  const told =
    /^eventstore-server: unknown flag "--port"; port is a setting: .* SERVICE_PORT=8085 \(help: .*\)$/;
  assertProblems(await run({ args: ["--port", "8085"] }), told);
});

Deno.test("--version prints program and version, and exits 0, whatever the configuration", async () => {
  const files = { "config.toml": "not toml" };
  assertPrinted(await run({ args: ["--version"], files }), /^eventstore-server \d+\.\d+\.\d+\n$/);
});

Deno.test("--default-config prints a file that is accepted and sets nothing, for all programs", async () => {
  const { code, stdout } = await run({ args: ["--default-config"] });
  assert.equal(code, 0);
  assert.match(stdout, /^\[server\]$/m);
  assert.match(stdout, /^\[backup\]$/m);
  const settings = stdout.split("\n").filter((line) => line !== "" && !/^(#|\[)/.test(line));
  assert.deepEqual(settings, [], "every setting is commented out");
  assertPrinted(await run({ args: ["--check-config"], files: { "config.toml": stdout } }), /valid/);
});

Deno.test("--check-config reads everything, opens nothing and exits 0", async () => {
  const files = {
    "my.toml": '[server]\nsocketPath = "/nowhere/server.sock"\n[backup]\nsourceUrl = "http://a:1"\n',
  };
  assertPrinted(await run({ args: ["--check-config", "--config", "my.toml"], files }), /valid\n$/);
});

Deno.test("--check-config names every problem of file and environment at once and exits 2", async () => {
  const files = {
    "config.toml": 'stray = 1\n[server]\nsockettPath = "x"\nmaxEventSize = 0\n[backup]\npageLimits = 1\n',
  };
  const env = { SERVICE_LOG_LEVEL: "loud", SERVICE_ENABLE_AUTH: "true" };
  assertProblems(
    await run({ args: ["--check-config"], files, env }),
    /config\.toml:1:1: .*stray/,
    /config\.toml:3:1: unknown key "sockettPath" in \[server\], did you mean "socketPath"\?/,
    /config\.toml:4:\d+: .*maxEventSize/,
    /config\.toml:6:1: unknown key "pageLimits" in \[backup\]/,
    /SERVICE_LOG_LEVEL/,
    /authToken/,
  );
});

Deno.test("--print-config shows every value with its source, the token masked, opens nothing and exits 0", async () => {
  const files = { "config.toml": '[server]\nport = 9000\nenableAuth = true\nauthToken = "very secret"\n' };
  const ended = await run({ args: ["--print-config"], files, env: { SERVICE_LOG_LEVEL: "DEBUG" } });
  assertPrinted(
    ended,
    /^# listens on http:\/\/127\.0\.0\.1:9000\n# read from \/.+\/config\.toml\n\[server\]\n/,
    /^port = 9000 +# file \(\/.+\/config\.toml:2:1\)$/m,
    /^logLevel = "debug" +# environment \(SERVICE_LOG_LEVEL\)$/m,
    /^maxEventSize = 65536 +# default$/m,
    /^# authToken = "\*{8}" +# file/m,
  );
  assert.equal(ended.stdout.includes("very secret"), false);
  const fromEnvironment = await run({
    args: ["--print-config"],
    env: { SERVICE_AUTH_TOKEN: "very secret", SERVICE_ENABLE_AUTH: "1" },
  });
  assertPrinted(fromEnvironment, /^# authToken = "\*{8}" +# environment \(SERVICE_AUTH_TOKEN\); masked$/m);
  assert.equal(fromEnvironment.stdout.includes("very secret"), false);
});

Deno.test("bad flags exit 2, one line for each", async () => {
  assertProblems(
    await run({ args: ["--confg", "stray", "--help=yes", "--config"] }),
    /unknown flag "--confg", did you mean --config\?/,
    /unexpected argument "stray"/,
    /--help takes no value/,
    /--config needs a value.* \(help: eventstore-server --help\)$/,
  );
});

Deno.test("--config with a file that is missing exits 2 and names it; the default file may be missing", async () => {
  assertProblems(await run({ args: ["--config", "missing.toml", "--check-config"] }), /missing\.toml/);
  assertPrinted(await run({ args: ["--check-config"] }), /valid/);
});

Deno.test("a file that is not TOML exits 2 with its place", async () => {
  const files = { "config.toml": "[server]\nport = = 1\n" };
  assertProblems(await run({ args: [], files }), /config\.toml:2:\d+: /);
});
