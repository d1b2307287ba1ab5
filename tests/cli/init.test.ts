import assert from "node:assert/strict";
import { join } from "node:path";
import { inDirectory, modeOf } from "../support/directory.ts";
import type { Ended } from "../support/run_command.ts";
import { startServer } from "../support/server_process.ts";
import { runInit } from "./run_init.ts";

const STORE_ID = /^store ([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** Asserts that init made the database at `path`, and returns the store ID that it printed. */
function assertMade(ended: Ended, path: string): string {
  assert.deepEqual([ended.code, ended.stderr], [0, ""], ended.stderr);
  const [first, second, ...rest] = ended.stdout.split("\n");
  assert.equal(first, path);
  const storeId = STORE_ID.exec(second ?? "")?.[1];
  assert.ok(storeId !== undefined, ended.stdout);
  assert.deepEqual(rest, [""]);
  return storeId;
}

function assertFailed(ended: Ended, code: number, expected: RegExp): void {
  assert.equal(ended.code, code, ended.stdout + ended.stderr);
  assert.equal(ended.stdout, "");
  assert.match(ended.stderr, /^eventstore-init: [^\n]+\n$/, "one line");
  assert.match(ended.stderr, expected);
}

/** Every file below a directory with its bytes. */
function bytesBelow(directory: string): [string, Uint8Array][] {
  return [...Deno.readDirSync(directory)].flatMap(({ name, isDirectory }): [string, Uint8Array][] => {
    const path = join(directory, name);
    return isDirectory ? bytesBelow(path) : [[path, Deno.readFileSync(path)]];
  }).sort(([a], [b]) => a < b ? -1 : 1);
}

Deno.test("init makes directory and database where --data-dir says, and prints path and store ID", async () => {
  await inDirectory(async (directory) => {
    const dataDir = join(directory, "some/where");
    const storeId = assertMade(await runInit(directory, ["--data-dir", dataDir]), join(dataDir, "events.db"));
    await using server = await startServer({ env: { SERVICE_DATA_DIR: dataDir } });
    assert.equal(await server.client().storeId(), storeId);
    assert.equal(server.stdout.includes("(new)"), false, "the server finds it and makes none");
  });
});

Deno.test("init prints the path from the root, and keeps what it means", async () => {
  await inDirectory(async (directory) => {
    for (const [dataDir, shown] of [["./some", "some"], ["other/../third", "other/../third"]]) {
      assertMade(await runInit(directory, ["--data-dir", `${dataDir}/`]), `${directory}/${shown}/events.db`);
    }
  });
});

Deno.test("without --data-dir init reads [server] dataDir: file over environment over default", async () => {
  await inDirectory(async (directory) => {
    assertMade(await runInit(directory, []), join(directory, "data/events.db"));
    const env = { SERVICE_DATA_DIR: "from_environment" };
    assertMade(await runInit(directory, [], { env }), join(directory, "from_environment/events.db"));
    // A variable that the file overrides gets a warning, if its value differs.
    const made = async (args: string[], name: string, variable = "from_environment"): Promise<void> => {
      const ended = await runInit(directory, args, { env: { SERVICE_DATA_DIR: variable } });
      const warning = "eventstore-init: warning: SERVICE_DATA_DIR has no effect: dataDir at ";
      assert.equal(ended.stderr.startsWith(warning), variable === "from_environment" && name !== "from_flag");
      assertMade({ ...ended, stderr: "" }, join(directory, name, "events.db"));
    };
    Deno.writeTextFileSync(join(directory, "config.toml"), '[server]\ndataDir = "from_file"\n');
    await made([], "from_file");
    Deno.writeTextFileSync(join(directory, "other.toml"), '[server]\ndataDir = "from_other"\n');
    await made(["--config", "other.toml"], "from_other", "from_other");
    await made(["--data-dir", "from_flag"], "from_flag");
    for (const name of ["data", "from_environment", "from_file", "from_other", "from_flag"]) {
      assert.equal(Deno.statSync(join(directory, name, "events.db")).isFile, true);
    }
  });
});

Deno.test("on an existing database init exits 1 and changes nothing", async () => {
  await inDirectory(async (directory) => {
    assertMade(await runInit(directory, []), join(directory, "data/events.db"));
    const before = bytesBelow(directory);
    assertFailed(await runInit(directory, []), 1, /data\/events\.db already exists/);
    assert.deepEqual(bytesBelow(directory), before);
  });
});

Deno.test("on a file that is no database, or an empty one, init exits 1 and changes nothing", async () => {
  for (const content of ["", "somebody else's"]) {
    await inDirectory(async (directory) => {
      Deno.mkdirSync(join(directory, "data"));
      Deno.writeTextFileSync(join(directory, "data/events.db"), content);
      assertFailed(await runInit(directory, []), 1, /data\/events\.db/);
      assert.equal(Deno.readTextFileSync(join(directory, "data/events.db")), content);
    });
  }
});

Deno.test("while a server runs on the directory init exits 1, and the server keeps running", async () => {
  await using server = await startServer();
  const ended = await runInit(server.directory, ["--data-dir", server.dataDir]);
  assertFailed(ended, 1, /in use by another process/);
  assert.equal((await server.client().request("GET", "/health")).status, 200);
});

Deno.test("if the directory cannot be created, init exits 1 with one line", async () => {
  await inDirectory(async (directory) => {
    Deno.writeTextFileSync(join(directory, "file"), "");
    assertFailed(await runInit(directory, ["--data-dir", "file"]), 1, /file cannot be created/);
    assertFailed(await runInit(directory, ["--data-dir", "file/data"]), 1, /file\/data cannot be created/);
  });
});

for (const umask of ["0000", "0077", "0177"]) {
  Deno.test(`init makes the directory 0700 and the database 0600, with umask ${umask}`, async () => {
    await inDirectory(async (directory) => {
      assertMade(await runInit(directory, [], { umask }), join(directory, "data/events.db"));
      assert.equal(modeOf(join(directory, "data")), 0o700);
      assert.equal(modeOf(join(directory, "data/events.db")), 0o600);
      for (const [path] of bytesBelow(directory)) assert.equal(modeOf(path) & 0o077, 0, path);
    });
  });
}

Deno.test("a bad configuration stops init with exit code 2 and every problem, before anything is created", async () => {
  await inDirectory(async (directory) => {
    Deno.writeTextFileSync(join(directory, "config.toml"), '[server]\nport = 65536\nsockettPath = "x"\n');
    const { code, stdout, stderr } = await runInit(directory, []);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.equal(stderr.match(/^eventstore-init: \/.*\/config\.toml:\d+:\d+: /gm)?.length, 2, stderr);
    assertFailed(await runInit(directory, ["--config", "missing.toml"]), 2, /missing\.toml/);
    assert.deepEqual([...Deno.readDirSync(directory)].map(({ name }) => name), ["config.toml"]);
  });
});

Deno.test("init needs no token, since only the server asks for one", async () => {
  await inDirectory(async (directory) => {
    Deno.writeTextFileSync(join(directory, "config.toml"), '[server]\nenableAuth = true\ndataDir = "data"\n');
    const { code, stderr } = await runInit(directory, []);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(Deno.statSync(join(directory, "data/events.db")).isFile);
  });
});

Deno.test("a configuration file that is named is read and checked, also when --data-dir is given", async () => {
  await inDirectory(async (directory) => {
    const missing = ["--config", "missing.toml", "--data-dir", "d"];
    const { code, stdout, stderr } = await runInit(directory, missing);
    assert.deepEqual([code, stdout], [2, ""]);
    const path = join(directory, "missing.toml");
    assert.equal(stderr, `eventstore-init: ${path}: cannot be read: there is no such file\n`);
    for (const text of ["[server\n", '[server]\nsockettPath = "x"\n']) {
      Deno.writeTextFileSync(join(directory, "bad.toml"), text);
      const args = ["--config", "bad.toml", "--data-dir", "d"];
      assertFailed(await runInit(directory, args), 2, /bad\.toml:\d+:\d+: /);
    }
    assert.deepEqual([...Deno.readDirSync(directory)].map(({ name }) => name), ["bad.toml"]);
  });
});

Deno.test("what init can only do with a file, it rejects with PostgreSQL, before it looks at anything", async () => {
  await inDirectory(async (directory) => {
    const env = { SERVICE_STORAGE: "postgres", SERVICE_POSTGRES_URL: "postgresql://u@127.0.0.1:1/d" };
    const message = /: --add-views works with storage sqlite only \(help: eventstore-init --help\)$/m;
    assertFailed(await runInit(directory, ["--add-views"], { env }), 2, message);
    const missing = await runInit(directory, ["--import", "missing"], { env });
    assertFailed(missing, 1, /missing cannot be read: No such file/);
    assert.deepEqual([...Deno.readDirSync(directory)], []);
  });
});

Deno.test("without --config, --data-dir is all that init needs to know", async () => {
  await inDirectory(async (directory) => {
    Deno.writeTextFileSync(join(directory, "config.toml"), "[server\n");
    assertMade(await runInit(directory, ["--data-dir", "d"]), join(directory, "d/events.db"));
  });
});

Deno.test("init knows its flags: --help, --version and --default-config print and exit 0, others exit 2", async () => {
  await inDirectory(async (directory) => {
    const help = await runInit(directory, ["--help"]);
    assert.deepEqual([help.code, help.stderr], [0, ""]);
    assert.match(help.stdout, /^eventstore-init: .*--data-dir <path>.*dataDir/s);
    const version = await runInit(directory, ["--version"]);
    assert.deepEqual([version.code, version.stderr], [0, ""]);
    assert.match(version.stdout, /^eventstore-init \d+\.\d+\.\d+\n$/);
    const defaults = await runInit(directory, ["--default-config"]);
    assert.equal(defaults.code, 0);
    assert.match(defaults.stdout, /^#dataDir = "data"$/m);
    assertFailed(await runInit(directory, ["--print-config"]), 2, /unknown flag "--print-config"/);
    assertFailed(await runInit(directory, ["--data-dir"]), 2, /--data-dir needs a value/);
    assertFailed(
      await runInit(directory, ["somewhere"]),
      2,
      /unknown verb "somewhere"; the only verb is token;/,
    );
    assert.deepEqual([...Deno.readDirSync(directory)], []);
  });
});
