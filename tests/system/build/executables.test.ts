import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { bundle, inOneModule } from "../../../tools/build/bundle.ts";
import { executableName, PROGRAM_NAMES, programTask } from "../../../tools/build/program_task.ts";
import { part } from "../../../tools/build/self_extracting.ts";
import { VERSION } from "../../../src/config/version.ts";
import { type ServerOptions, ServerProcess, startServer } from "../../support/server_process.ts";
import { clusterTest } from "../postgres/support/postgres_test.ts";
import { serverVariables } from "../postgres/support/shared_stores.ts";
import { Built } from "./built.ts";

/* The executables do what the programs do, on a machine without Node and Deno. */

const NOBODY = 65534;
const EVENT = { type: "t", identifiers: { a: "1" }, payload: "p" };

let built: Built;
Deno.test.beforeAll(() => void (built = new Built()));
Deno.test.afterAll(() => built?.dispose());

async function startBuilt(options: ServerOptions = {}): Promise<ServerProcess> {
  return await startServer({ ...options, env: { ...built.environment, ...options.env } });
}

async function assertServes(server: ServerProcess, payloads: readonly string[]): Promise<void> {
  assert.deepEqual((await server.client().allEvents()).map(({ payload }) => payload), payloads);
}

/** The information of the system about a process: /proc/<pid>/<name>. */
function ofProcess(pid: number, name: string): string {
  return Deno.readTextFileSync(`/proc/${pid}/${name}`);
}

Deno.test("the build says which way it took, and makes one executable file for each program and no more", () => {
  const names = PROGRAM_NAMES.map(executableName);
  if (built.buildOutput !== undefined) {
    const lines = built.buildOutput.trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) =>
        /^self-extracting: .*\/(.+) \(([\d.]+), \S+, Deno \S+, [\d.]+ MB\)$/.exec(line)?.slice(1)
      ),
      names.map((name) => [name, VERSION]),
      built.buildOutput,
    );
    assert.deepEqual([...Deno.readDirSync(built.dist)].map(({ name }) => name).sort(), [...names].sort());
  }
  for (const name of names) assert.equal(Deno.statSync(join(built.dist, name)).mode! & 0o777, 0o755);
});

for (const program of PROGRAM_NAMES) {
  const name = executableName(program);

  Deno.test(`${name} prints its version, and a starter configuration if it reads one, with next to nothing on PATH`, async () => {
    const version = await built.run(program, ["--version"]);
    assert.deepEqual(version, { code: 0, stdout: `${name} ${VERSION}\n`, stderr: "" });
    if (program !== "client") {
      const config = await built.run(program, ["--default-config"]);
      assert.deepEqual([config.code, config.stderr], [0, ""]);
      assert.equal(
        config.stdout,
        Deno.readTextFileSync(new URL("../../../config.example.toml", import.meta.url)),
      );
    }
    const wrong = await built.run(program, ["--no-such-flag"]);
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
    assert.match(wrong.stderr, new RegExp(`^${name}: .*--no-such-flag`));
  });

  Deno.test(`${name} holds the same module wherever it is built`, async () => {
    if (!built.isSelfExtracting) return;
    const module = new TextEncoder().encode(inOneModule(await bundle(programTask(program).entry)));
    const { path } = part(`${name}.js`, module);
    assert.deepEqual(Deno.readFileSync(join(built.cache, path)), module);
  });
}

Deno.test("nothing of the working directory or the runtime's own settings reaches a program", async () => {
  const cwd = built.makeDirectory("full of traps");
  for (
    const name of ["deno.json", "deno.jsonc", "deno.lock", "package.json", "tsconfig.json", "import_map.json"]
  ) {
    Deno.writeTextFileSync(join(cwd, name), "a trap");
  }
  Deno.writeTextFileSync(join(cwd, ".npmrc"), "registry=a trap");
  Deno.writeTextFileSync(join(cwd, ".env"), "SERVICE_EDITION=Z\n");
  const traps = {
    DENO_V8_FLAGS: "--trap",
    DENO_AUTH_TOKENS: "trap",
    NODE_OPTIONS: "--trap",
    DENO_COVERAGE_DIR: "cover",
  };
  for (const program of PROGRAM_NAMES) {
    const env = { ...built.environment, ...traps, HOME: cwd };
    const ended = await built.run(program, ["--version"], { cwd, env });
    assert.deepEqual([ended.code, ended.stderr], [0, ""], ended.stderr);
  }
  assert.equal((await built.run("server", ["--check-config"], { cwd })).code, 0);
  assert.equal([...Deno.readDirSync(cwd)].length, 8, "nothing was made there");
});

Deno.test({
  name: "on a terminal a program prints what it prints elsewhere",
  ignore: !existsSync("/usr/bin/script") || Deno.build.os !== "linux",
  fn: async () => {
    const output = await new Deno.Command("script", {
      args: ["-q", "-e", "-c", `'${built.path("server")}' --version`, "/dev/null"],
      env: { EVENTSTORE_CACHE_DIR: built.cache },
    }).output();
    assert.equal(new TextDecoder().decode(output.stdout), `eventstore-server ${VERSION}\r\n`);
  },
});

Deno.test("the server writes, reads, stops on SIGTERM with 0, and finds its events again", async () => {
  const link = join(built.directory, "a link");
  Deno.symlinkSync(built.path("server"), link);
  assert.equal(
    (await new Deno.Command(link, { args: ["--version"], env: built.environment }).output()).code,
    0,
  );
  await using server = await startBuilt();
  await server.client().write({ events: [EVENT] });
  await assertServes(server, ["p"]);
  const began = performance.now();
  assert.deepEqual([(await server.stop()).code, performance.now() - began < 5000], [0, true]);
  await server.start();
  await assertServes(server, ["p"]);
  server.signal("SIGINT");
  assert.equal((await server.ended()).code, 0);
});

Deno.test({
  name: "the process that was started is the server itself, alone, with the permissions of its task",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using server = await startBuilt();
    assert.equal(ofProcess(server.pid, `task/${server.pid}/children`), "", "it has no child processes");
    if (!built.isSelfExtracting) return;
    const args = ofProcess(server.pid, "cmdline").split("\0");
    const { flags } = programTask("server");
    const own = args.findIndex((arg) => arg.endsWith("/eventstore-server.js"));
    assert.deepEqual(args.slice(own - flags.length, own), flags);
    assert.equal(
      args.filter((arg) => arg.startsWith("--allow")).length,
      flags.filter((f) => f.startsWith("--allow")).length,
    );
  },
});

Deno.test("a server that is killed has lost nothing, and the next start needs no help", async () => {
  await using server = await startBuilt();
  for (let round = 0; round < 3; round++) {
    await server.client().write({ events: [{ ...EVENT, payload: `${round}` }] });
    await server.kill();
    await server.start();
    await assertServes(server, Array.from({ length: round + 1 }, (_, i) => `${i}`));
  }
});

Deno.test("once it runs a server needs nothing of its cache directory", async () => {
  if (!built.isSelfExtracting) return;
  const cache = built.makeDirectory("to be removed");
  await using server = await startBuilt({ env: { EVENTSTORE_CACHE_DIR: cache } });
  Deno.removeSync(cache, { recursive: true });
  await server.client().write({ events: [EVENT] });
  // Enough reads at once to start new readers.
  await Promise.all(Array.from({ length: 16 }, () => assertServes(server, ["p"])));
  assert.equal((await server.stop()).code, 0);
});

Deno.test("two first starts of two programs at once both succeed and share one runtime", async () => {
  if (!built.isSelfExtracting) return;
  const cache = built.makeDirectory("for two");
  const env = { ...built.environment, EVENTSTORE_CACHE_DIR: cache };
  const ended = await Promise.all(
    (["server", "init"] as const).map((name) => built.run(name, ["--version"], { env })),
  );
  assert.deepEqual(ended.map(({ code, stderr }) => [code, stderr]), [[0, ""], [0, ""]]);
  const files = [...Deno.readDirSync(cache)].flatMap(({ name }) => [...Deno.readDirSync(join(cache, name))]);
  assert.deepEqual(files.map(({ name }) => name).sort(), [
    "eventstore",
    "eventstore-init.js",
    "eventstore-server.js",
  ]);
  Deno.removeSync(cache, { recursive: true });
});

Deno.test("a database that init has created is used by the server", async () => {
  const data = join(built.makeDirectory("for init"), "data");
  const made = await built.run("init", ["--data-dir", data]);
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  await using server = await startBuilt({ env: { SERVICE_DATA_DIR: data } });
  assert.match(made.stdout, new RegExp(`store ${await server.client().storeId()}`));
});

await clusterTest("they work on PostgreSQL as on a file", async (cluster) => {
  const env = { ...built.environment, ...serverVariables(cluster.url(), "built") };
  const made = await built.run("init", [], { env });
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  await using server = await startServer({ env });
  assert.match(
    made.stdout,
    new RegExp(`^schema built of database .*\nstore ${await server.client().storeId()}\n$`),
  );
  await server.client().write({ events: [EVENT] });
  await server.kill();
  await server.start();
  await assertServes(server, ["p"]);
  assert.equal((await server.stop()).code, 0);
});

Deno.test("the client writes and reads over both transports, and knows its completions", async () => {
  for (const listen of ["tcp", "unix"] as const) {
    await using server = await startServer({ env: built.environment, listen, listenOnly: true });
    const { address } = server;
    const place: Record<string, string> = address.transport === "unix"
      ? { EVENTSTORE_SOCKET: address.path }
      : { EVENTSTORE_URL: `http://127.0.0.1:${address.port}` };
    const env = { ...built.environment, ...place };
    const args = ["append", "--type", "t", "--payload", "1", "--if-none", "--type", "t"];
    assert.deepEqual(await built.run("client", args, { env }), { code: 0, stdout: "1\n", stderr: "" });
    assert.equal((await built.run("client", args, { env })).code, 3);
    const read = await built.run("client", ["read", "--json"], { env });
    assert.deepEqual([read.code, read.stderr], [0, ""]);
    assert.match(read.stdout, /^\{"sequence":1,.*"payload":"1"\}\n$/);
    assert.equal((await built.run("client", ["projection", "get", "t", "i"], { env })).code, 4);
  }
  const completions = await built.run("client", ["completions", "bash"]);
  assert.match(completions.stdout, /^# bash completion for eventstore-client\n/);
});

Deno.test("backup runs as cron starts it: empty environment, other directory, read-only home", async () => {
  await using server = await startBuilt();
  for (const payload of ["1", "2", "3"]) await server.client().write({ events: [{ ...EVENT, payload }] });
  // As root, run it as a user whom a read-only directory stops.
  const nobody = Deno.uid() === 0 ? { uid: NOBODY } : {};
  const home = built.makeDirectory("home", nobody);
  const tmp = built.makeDirectory("tmp", nobody);
  const target = built.makeDirectory("backups", nobody);
  const config = join(built.directory, "backup.toml");
  const source = server.address.transport === "tcp" ? `http://127.0.0.1:${server.address.port}` : "";
  Deno.writeTextFileSync(config, `[backup]\nsourceUrl = "${source}"\ndataDir = "${target}"\n`);
  Deno.chmodSync(home, 0o555);
  const cron = { HOME: home, TMPDIR: tmp, PATH: built.bin, SHELL: "/bin/sh", LOGNAME: "nobody" };
  for (let run = 0; run < 2; run++) {
    const ended = await built.run("backup", ["--config", config], { cwd: "/", env: cron, ...nobody });
    assert.deepEqual([ended.code, ended.stderr], [0, ""], ended.stderr);
    assert.match(ended.stdout, /^[^\n]*\b3\b[^\n]*\n$/, "one line");
  }
  const storeId = await server.client().storeId();
  const verified = await built.run("backup", ["verify", "--config", config, storeId!], {
    cwd: "/",
    env: cron,
    ...nobody,
  });
  assert.deepEqual([verified.code, verified.stderr], [0, ""]);
  const restored = join(built.makeDirectory("restored", nobody), "data");
  const args = ["restore", "--config", config, "--to", restored];
  assert.equal((await built.run("backup", args, { cwd: "/", env: cron, ...nobody })).code, 0);
  await using second = await startBuilt({ env: { SERVICE_DATA_DIR: restored } });
  assert.deepEqual(await second.client().allEvents(), await server.client().allEvents());
});
