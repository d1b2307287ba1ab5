import assert from "node:assert/strict";
import { join } from "node:path";
import { runInit } from "../cli/run_init.ts";
import { BackupDirectories } from "../backup/run_backup.ts";
import { inDirectory, namesIn } from "../support/directory.ts";
import { freePort } from "../support/free_port.ts";
import { type Ended, runServer, startServer } from "../support/server_process.ts";

/** The configuration of every kind of start, as an operator would write it. */
const KINDS: Readonly<Record<string, { config?: string; env?: Record<string, string> }>> = {
  "nothing at all": {},
  "TCP by variable": { env: { SERVICE_PORT: "8099" } },
  "TCP by file": { config: 'bindAddress = "::1"\nsocketMode = "0660"\n' },
  "socket by file, port by variable": { config: 'socketPath = "/tmp/s"\n', env: { SERVICE_PORT: "8099" } },
  "socket by variable, port by file": { config: "port = 8099\n", env: { SERVICE_SOCKET_PATH: "relative" } },
  "edition B": { config: 'edition = "B"\nmaxOpenTx = 3\nmaxEventsPerWrite = 4\n' },
  "edition C": {
    env: { SERVICE_EDITION: "C", SERVICE_TRANSACTION_TIMEOUT: "3", SERVICE_TX_IDLE_TIMEOUT: "9" },
  },
  "a token by variable": { config: "enableAuth = true\n", env: { SERVICE_AUTH_TOKEN: "the token" } },
  "a token without authentication": { env: { SERVICE_AUTH_TOKEN: "the token" } },
  "PostgreSQL": {
    config: 'storage = "postgres"\npostgresSchema = "events"\nreadPoolSize = 3\n',
    env: { SERVICE_POSTGRES_URL: "postgresql://u:secret@db.example/d", SERVICE_POSTGRES_POOL_SIZE: "3" },
  },
  "odd texts": { config: 'logLevel = "DEBUG"\n', env: { SERVICE_DATA_DIR: 'a "b" # \\ \u0001 \u007f' } },
};

interface Told extends Ended {
  readonly directory: string;
}

/** Runs the server in a directory of its own with `config.toml` and these variables only. */
function run(
  options: { config?: string; env?: Readonly<Record<string, string>>; args: readonly string[] },
): Promise<Told> {
  return inDirectory(async (directory) => {
    const { config, env = {}, args } = options;
    if (config !== undefined) {
      Deno.writeTextFileSync(join(directory, "config.toml"), config, { mode: 0o600 });
    }
    const before = namesIn(directory);
    const ended = await runServer({
      directory,
      listen: "none",
      args,
      env: { SERVICE_DATA_DIR: "data", ...env },
    });
    assert.deepEqual(namesIn(directory), before, "nothing was opened or made");
    return { ...ended, directory };
  });
}

/** The settings of a printed configuration, without their sources. */
function inEffect(text: string): string[] {
  const [listens, ...lines] = text.split("\n");
  const settings = lines.filter((line) => /^\w/.test(line)).map((line) => line.replace(/ +# [^"]*$/, ""));
  return [listens!.replace(/^(# listens on )\/.*\//, "$1"), ...settings];
}

for (const [name, { config, env }] of Object.entries(KINDS)) {
  Deno.test(`what --print-config prints can be fed back: ${name}`, async () => {
    const text = config === undefined ? undefined : `[server]\n${config}`;
    const first = await run({
      ...(text === undefined ? {} : { config: text }),
      ...(env === undefined ? {} : { env }),
      args: ["--print-config"],
    });
    assert.equal(first.code, 0, first.stderr);
    assert.match(
      first.stdout,
      /^# listens on [^\n]+\n# (no configuration file|read from \/[^\n]+)\n\[server\]\n/,
    );
    // It prints everything but the secrets.
    const kept = Object.entries(env ?? {}).filter(([name]) => /TOKEN|DATA_DIR|POSTGRES_URL/.test(name));
    const args = ["--print-config"];
    const again = await run({ config: first.stdout, env: Object.fromEntries(kept), args });
    assert.deepEqual([again.code, again.stderr], [0, ""]);
    assert.deepEqual(inEffect(again.stdout), inEffect(first.stdout));
  });
}

Deno.test("a server that is fed what was printed for another one listens at the same address", async () => {
  const port = String(freePort());
  const printed = await run({ args: ["--print-config"], env: { SERVICE_PORT: port } });
  await using server = await startServer({ listen: "none", config: printed.stdout });
  assert.ok(printed.stdout.startsWith(`# listens on http://127.0.0.1:${port}\n`), printed.stdout);
  assert.match(server.stdout, new RegExp(`listening on http://127\\.0\\.0\\.1:${port} `));
});

Deno.test("the start says which file was read, with its path from the root, or that there is none", async () => {
  await using server = await startServer({ config: "[server]\n" });
  const path = join(server.directory, "test.toml");
  assert.match(server.stdout, new RegExp(`^eventstore-server: version [0-9.]+, configuration ${path}\n`));
  await using without = await startServer();
  assert.match(without.stdout, /^eventstore-server: version [0-9.]+, no configuration file\n/);
});

Deno.test("a variable that the file overrides is a warning with file, line and column; an equal one is none", async () => {
  const config = "[server]\nmaxEventsPerPage = 5000\nmaxOpenTx = 4\nreadPoolSize = 8\n";
  const env = { SERVICE_MAX_EVENTS_PER_PAGE: "50", SERVICE_MAX_OPEN_TX: "x", SERVICE_READ_POOL_SIZE: "8" };
  await using server = await startServer({ config, env });
  const path = join(server.directory, "test.toml");
  assert.deepEqual(server.stderr.trimEnd().split("\n"), [
    `eventstore-server: warning: SERVICE_MAX_EVENTS_PER_PAGE has no effect: maxEventsPerPage at ${path}:2:1 wins`,
    `eventstore-server: warning: SERVICE_MAX_OPEN_TX has no effect: maxOpenTx at ${path}:3:1 wins`,
  ]);
});

Deno.test("a variable that looks like a setting and is none is a warning, without its value", async () => {
  const env = { SERVICE_PROT: "s3cret", SERVICE_XYZZY: "s3cret", SERVICE_BACKUP_DATA_DIR: "/b" };
  await using server = await startServer({ env });
  assert.deepEqual(server.stderr.trimEnd().split("\n"), [
    "eventstore-server: warning: no setting has the environment variable SERVICE_PROT, did you mean SERVICE_PORT?",
    "eventstore-server: warning: no setting has the environment variable SERVICE_XYZZY",
  ]);
});

Deno.test("a misspelt variable is named next to the problem that it may cause", async () => {
  const env = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTHTOKEN: "s3cret" };
  const { code, stderr } = await run({ env, args: [] });
  assert.equal(code, 2);
  assert.deepEqual(stderr.trimEnd().split("\n"), [
    "eventstore-server: SERVICE_ENABLE_AUTH: enableAuth is on, but authToken is not set",
    "eventstore-server: no setting has the environment variable SERVICE_AUTHTOKEN, did you mean SERVICE_AUTH_TOKEN?",
  ]);
});

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
    '[server]\nenableAuth = true\nport = 0\n[backup]\nsourceUrl = "ftp://h"\nsourceSocket = "/s"\n';
  for (const program of ["server", "init", "backup"] as const) {
    const wrong = await check(program, faulty);
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
    assert.match(wrong.stderr, /config\.toml:3:1: port must be a whole number from 1 to 65535, not 0$/m);
    assert.match(wrong.stderr, /config\.toml:5:1: sourceUrl must be an http:\/\/ or https:\/\/ URL/m);
    // The token may be in a variable that only the server has.
    const isServer = program !== "backup";
    assert.equal(/enableAuth is on, but authToken is not set$/m.test(wrong.stderr), isServer, program);
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
    const isReported = /:2:1: storage is postgres, but postgresUrl is not set$/m.test(stderr);
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
      ? await runServer({ directory, listen: "none", args, env: { SERVICE_DATA_DIR: "data" } })
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

Deno.test({
  name:
    "a start without any setting, where no service has made the socket's directory, says that there is TCP",
  ignore: exists("/run/service"),
  fn: async () => {
    const { code, stderr } = await run({ args: [] });
    assert.equal(code, 1);
    assert.equal(
      stderr,
      'eventstore-server: the directory of socketPath does not exist: create it with "mkdir -p /run/service", ' +
        "or listen on TCP: SERVICE_PORT=8085 eventstore-server\n",
    );
    // The operator chose the socket, so that TCP would take more than a port.
    const chosen = await run({ args: [], env: { SERVICE_SOCKET_PATH: "none/s" } });
    assert.match(chosen.stderr, /create it with "mkdir -p \/.+\/none"\n$/);
  },
});

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

Deno.test("init explains in its own words that it cannot use a directory", async () => {
  await inDirectory(async (directory) => {
    const { code, stderr } = await runInit(directory, ["--data-dir", "/dev/shm/x"]);
    assert.equal(code, 2);
    assert.equal(
      stderr,
      "eventstore-init: --data-dir must not be below /dev, /proc or /sys, which the runtime keeps closed: " +
        "choose another place (help: eventstore-init --help)\n",
    );
  });
});
