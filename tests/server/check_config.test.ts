import assert from "node:assert/strict";
import { join } from "node:path";
import { BackupDirectories } from "../backup/run_backup.ts";
import { runInit } from "../cli/run_init.ts";
import { inDirectory, namesIn } from "../support/directory.ts";
import { runServer, startServer } from "../support/server_process.ts";
import { run, runWithFlags } from "./configured_run.ts";
import type { Ended } from "../support/run_command.ts";

const FAULTY: readonly (readonly [config: string, told: RegExp])[] = [
  [
    'dataDir = "~/data"',
    /config\.toml:2:1: dataDir must not begin with "~", which only a shell replaces: .*home/,
  ],
  ['socketPath = "~you/s"', /socketPath must not begin with "~"/],
  ['dataDir = "/dev/shm/x"', /dataDir must not be below \/dev, \/proc or \/sys, .*: choose another place/],
  ['socketPath = "unix:/run/x.sock"', /socketPath must be a path, not a URL/],
  [
    "socketMode = 0600",
    /:2:14: not valid TOML: .*; the value of socketMode needs quotes, as in socketMode = "0600"$/,
  ],
  [
    "socketMode = 600",
    /socketMode must be a string of octal digits .*, not 600: write it in quotes, as in "0600"$/,
  ],
  ["dataDir = /srv/data", /not valid TOML: .*; the value of dataDir needs quotes, as in dataDir = "data"$/],
  [
    "authToken = s3cret",
    /not valid TOML: [^3]*; the value of authToken needs quotes, as in authToken = "..."$/,
  ],
  ['dataDir = ""', /: dataDir must be a non-empty path, not an empty string$/],
  [
    'bindAddress = "localhost:8085"',
    /bindAddress must be an IP address or a host name, without scheme and port/,
  ],
  ['bindAddress = "http://localhost"', /bindAddress must be an IP address or a host name/],
  ['bindAddress = "127.0.0.256"', /bindAddress must be an IP address or a host name/],
  ['bindAddress = "*"', /bindAddress must be an IP address or a host name/],
];

Deno.test("an obvious slip stops a start and --check-config alike, in one line that says what to do", async () => {
  for (const [line, told] of FAULTY) {
    for (const args of [[], ["--check-config"]]) {
      const { code, stdout, stderr } = await run({ config: `[server]\n${line}\n`, args });
      assert.deepEqual([code, stdout], [2, ""], line);
      assert.match(stderr, /^eventstore-server: \/[^\n]+\n$/, "one line, with the path from the root");
      assert.match(stderr.trimEnd(), told);
    }
  }
});

const USELESS: readonly (readonly [config: string, told: RegExp])[] = [
  [
    'port = 8085\nsocketPath = "/tmp/s"',
    /config\.toml:2:1: port is unused: the server listens on socketPath$/,
  ],
  ['port = 8085\nsocketMode = "0660"', /config\.toml:3:1: socketMode is unused: the server listens on TCP$/],
  ['authToken = "t"', /config\.toml:2:1: authToken is unused: enableAuth is off$/],
  [
    "maxEventSize = 8388609",
    /:2:1: maxEventSize \(8388609\) is more than maxRequestBodySize \(8388608\) lets in$/,
  ],
  [
    "readPoolSize = 2147483647",
    /:2:1: readPoolSize \(2147483647\) is more than the \d+ readers for which there is memory/,
  ],
];

Deno.test("--check-config warns of settings that are allowed but cannot be meant, with their place", async () => {
  for (const [lines, told] of USELESS) {
    const { code, stdout, stderr } = await run({ config: `[server]\n${lines}\n`, args: ["--check-config"] });
    assert.equal(code, 0);
    assert.match(stdout, /^eventstore-server: \/.+\/config\.toml was read; the configuration is valid\n$/);
    assert.match(stderr, /^eventstore-server: warning: [^\n]+\n$/, lines);
    assert.match(stderr.trimEnd(), told);
  }
  const inEditionC = '[server]\nedition = "C"\nmaxEventSize = 8388609\n';
  assert.equal(
    (await run({ config: inEditionC, args: ["--check-config"] })).stderr,
    "",
    "it has another limit",
  );
});

Deno.test("--check-config of every program checks both sections, and opens nothing", async () => {
  const faulty =
    '[server]\nenableAuth = true\nport = 65536\n[backup]\nsourceUrl = "ftp://h"\nsourceSocket = "/s"\n';
  for (const program of ["server", "init", "backup"] as const) {
    const wrong = await check(program, faulty);
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
    assert.match(wrong.stderr, /config\.toml:3:1: port must be a whole number from 0 to 65535, not 65536$/m);
    assert.match(wrong.stderr, /config\.toml:5:1: sourceUrl must be an http:\/\/ or https:\/\/ URL/m);
    // The token may be in a variable that only the server has.
    const isServer = program !== "backup";
    const lacking =
      /enableAuth is on, but authToken is not set: set it or SERVICE_AUTH_TOKEN, or add \[\[tokens\]\]$/m;
    assert.equal(lacking.test(wrong.stderr), isServer, program);
    const right = await check(program, '[server]\nport = 1\n[backup]\nsourceUrl = "http://h"\n');
    assert.deepEqual([right.code, right.stderr], [0, ""]);
    const valid = new RegExp(
      `^eventstore-${program}: /.+/config\\.toml was read; the configuration is valid\n$`,
    );
    assert.match(right.stdout, valid);
    const missing = await check(program, undefined);
    if (program === "backup") assert.match(missing.stderr, /^eventstore-backup: no source: set /);
    else assert.match(missing.stdout, /: there is no configuration file; the configuration is valid\n$/);
  }
});

Deno.test("--check-config of the backup warns of settings that the server would not use, too", async () => {
  const text =
    "[server]\nport = 1\nsocketPath = '/s'\nmaxRequestBodySize = 65535\n[backup]\nsourceUrl = 'http://h'\n";
  const { code, stderr } = await check("backup", text);
  assert.equal(code, 0);
  const lines = stderr.trimEnd().split("\n").map((line) => line.replace(/^.*config\.toml:/, ""));
  assert.deepEqual(lines, [
    "2:1: port is unused: the server listens on socketPath",
    "4:1: maxEventSize (65536) is more than maxRequestBodySize (65535) lets in",
    "4:1: maxProjectionSize (65536) is more than maxRequestBodySize (65535) lets in",
  ]);
});

Deno.test("--check-config knows the rules of storage, and that a URL may be in a variable of the server", async () => {
  const text = '[server]\nstorage = "postgres"\n[backup]\nsourceUrl = "http://h"\n';
  for (const program of ["server", "init", "backup"] as const) {
    const { code, stderr } = await check(program, text);
    assert.equal(code, program === "backup" ? 0 : 2, stderr);
    const isReported =
      /:2:1: storage is postgres, but postgresUrl is not set: set it or SERVICE_POSTGRES_URL$/m.test(stderr);
    assert.equal(isReported, program !== "backup", stderr);
  }
});

Deno.test("--check-config looks for contradictions in both sections", async () => {
  const text = "[server]\nmaxEventsPerPage = 9\n[backup]\nsourceUrl = 'http://h'\nsourceSocket = '/s'\n";
  for (const program of ["server", "init", "backup"] as const) {
    const { stderr } = await check(program, text);
    assert.match(
      stderr,
      /:2:1: defaultEventsPerPage \(1000\) must not exceed maxEventsPerPage \(9\)$/m,
      program,
    );
    assert.match(
      stderr,
      /:5:1: sourceSocket and sourceUrl \(.*:4:1\) are both set; only one may be$/m,
      program,
    );
  }
});

/** Runs `--check-config` of a program next to this `config.toml`, and asserts that it makes nothing. */
function check(program: "server" | "init" | "backup", text: string | undefined): Promise<Ended> {
  return inDirectory(async (directory) => {
    if (text !== undefined) Deno.writeTextFileSync(join(directory, "config.toml"), text);
    const before = namesIn(directory);
    const args = ["--check-config"];
    const ended = program === "server"
      ? await runWithFlags(directory, args, { SERVICE_DATA_DIR: "data" })
      : program === "init"
      ? await runInit(directory, args)
      : await checkBackup(directory, args);
    assert.deepEqual(namesIn(directory), before);
    return ended;
  });
}

async function checkBackup(cwd: string, args: readonly string[]): Promise<Ended> {
  using place = new BackupDirectories({ transport: "unix", path: "/nowhere" });
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("SERVICE_"));
  return await place.run({ args, cwd, isEnvironmentEmpty: true, env: Object.fromEntries(inherited) });
}

Deno.test("a readPoolSize for which the descriptors do not suffice is a warning of the check and of the start", async () => {
  const few = { env: { SERVICE_READ_POOL_SIZE: "200" }, umask: "022 && ulimit -n 1024" };
  const told =
    /readPoolSize \(200\) is more than the \d+ readers for which there are file descriptors \(ulimit -n\)$/m;
  assert.match((await runServer({ ...few, args: ["--check-config"], listen: "none" })).stderr, told);
  await using server = await startServer(few);
  assert.match(server.stdout, told);
});

Deno.test("a postgresPoolSize for which the descriptors do not suffice is a warning, too", async () => {
  const env = {
    SERVICE_STORAGE: "postgres",
    SERVICE_POSTGRES_URL: "postgresql://u@h/d",
    SERVICE_POSTGRES_POOL_SIZE: "200",
  };
  const args = ["--check-config"];
  const { stderr } = await runServer({ env, umask: "022 && ulimit -n 1024", args, listen: "none" });
  assert.match(
    stderr,
    /SERVICE_POSTGRES_POOL_SIZE: postgresPoolSize \(200\) is more than the \d+ readers .* descriptors/,
  );
});
