import assert from "node:assert/strict";
import { join } from "node:path";
import { runInit } from "../cli/run_init.ts";
import { inDirectory } from "../support/directory.ts";
import { freePort } from "../support/free_port.ts";
import { startServer } from "../support/server_process.ts";
import { run } from "./configured_run.ts";

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
    "eventstore-server: SERVICE_ENABLE_AUTH: enableAuth is on, but authToken is not set: set it or SERVICE_AUTH_TOKEN, or add [[tokens]]",
    "eventstore-server: no setting has the environment variable SERVICE_AUTHTOKEN, did you mean SERVICE_AUTH_TOKEN?",
  ]);
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
