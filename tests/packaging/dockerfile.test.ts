import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadBackupSettings, loadServerSettings } from "../../src/config/load.ts";
import { settings, settingsOf } from "../../src/config/settings.ts";
import { run } from "../support/apt.ts";
import { eventually } from "../support/eventually.ts";
import { all, commandOf, environmentOf, lastStage, one } from "./dockerfile.ts";
import { ScratchRoot, scratchRootTest } from "./scratch_root.ts";
import { packageableExecutables } from "./stand_ins.ts";

/*
 * No engine builds the image here. Its parts are checked one by one, and what it would run is run.
 */

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const LINTER = "npm:dockerfile-utils@0.16.3";

const dockerfile = Deno.readTextFileSync(join(REPOSITORY, "Dockerfile"));
const image = lastStage(dockerfile);
const variables = environmentOf(image);

/** What reaches the build, from .dockerignore: everything is kept out, then some of it let in. */
function buildContext(): string[] {
  const [first, ...rest] = Deno.readTextFileSync(join(REPOSITORY, ".dockerignore")).trim().split("\n");
  assert.equal(first, "*");
  return rest.map((line) => {
    assert.match(line, /^!/);
    return line.slice(1);
  });
}

async function denoOutput(args: readonly string[], cwd = REPOSITORY): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assert.equal(code, 0, decoder.decode(stdout) + decoder.decode(stderr));
  return decoder.decode(stdout);
}

Deno.test("a linter has nothing to say about the Dockerfile", async () => {
  const linter = ["run", "--quiet", "--no-config", "--no-lock", "--allow-all", LINTER, "lint"];
  assert.equal(await denoOutput([...linter, join(REPOSITORY, "Dockerfile")]), "");
});

Deno.test("what the build needs reaches it, and so does what is copied", async () => {
  const context = buildContext();
  for (const path of context) assert.ok(existsSync(join(REPOSITORY, path)), path);
  const isInside = (path: string): boolean =>
    context.some((allowed) => path === allowed || path.startsWith(`${allowed}/`));
  for (const entry of ["main.ts", "cli/init.ts", "cli/backup.ts", "build/main.ts"]) {
    const { modules } = JSON.parse(await denoOutput(["info", "--json", entry])) as {
      modules: { local?: string }[];
    };
    const own = modules.flatMap(({ local }) =>
      local?.startsWith(REPOSITORY) ? [local.slice(REPOSITORY.length)] : []
    );
    assert.ok(own.length > 0);
    assert.deepEqual(own.filter((path) => !isInside(path)), []);
  }
  for (const path of ["deno.json", "deno.lock"]) assert.ok(isInside(path));
  const copied = all(image, "COPY").filter((rest) => !rest.includes("--from="));
  assert.ok(copied.length > 0);
  for (const rest of copied) {
    const sources = rest.split(" ").filter((word) => !word.startsWith("--")).slice(0, -1);
    for (const source of sources) assert.ok(isInside(source) && existsSync(join(REPOSITORY, source)), source);
  }
});

Deno.test({
  name: "the build works on what reaches it",
  ignore: Deno.env.get("EVENTSTORE_LONG_TESTS") !== "1",
  fn: async () => {
    const directory = await Deno.makeTempDir({ prefix: "eventstore_context_" });
    try {
      for (const path of buildContext()) {
        await Deno.mkdir(join(directory, path, ".."), { recursive: true });
        await run("cp", ["-r", join(REPOSITORY, path), join(directory, path)]);
      }
      await denoOutput(["task", "build"], directory);
      const built = all(image, "COPY").find((rest) => rest.includes("--from="))!;
      for (const source of copiedTo(built).sources) {
        assert.ok(existsSync(join(directory, "dist", basename(source))), source);
      }
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test("the image listens on TCP 0.0.0.0:8085, keeps its data in /data and runs as 10001", () => {
  const from = { configPath: undefined, env: (name: string) => variables[name] };
  const server = loadServerSettings(from).settings;
  assert.deepEqual(server.listen, { transport: "tcp", hostname: "0.0.0.0", port: 8085 });
  assert.equal(server.dataDir, "/data");
  const source = (name: string): string | undefined =>
    name === settings.backup.sourceUrl.variable ? "http://example.org" : variables[name];
  const backup = loadBackupSettings({ configPath: undefined, env: source }).settings;
  assert.deepEqual(commandOf(one(image, "VOLUME")), [server.dataDir, backup.dataDir]);
  assert.equal(one(image, "EXPOSE"), "8085");
  assert.equal(one(image, "USER"), "10001:10001");
  assert.equal(one(image, "STOPSIGNAL"), "SIGTERM");
  const known = ["server", "backup"] as const;
  const names = known.flatMap((section) => settingsOf(section).map(([, { variable }]) => variable));
  for (const name of Object.keys(variables)) assert.ok(names.includes(name), name);
});

/** Where COPY puts each file. */
function copiedTo(rest: string): { readonly sources: string[]; readonly target: string } {
  const words = rest.split(" ").filter((word) => !word.startsWith("--"));
  return { sources: words.slice(0, -1), target: words.at(-1)! };
}

/** Does what the instructions of the image say. */
async function makeImage(root: ScratchRoot, executables: string): Promise<void> {
  for (const rest of all(image, "COPY")) {
    const { sources, target } = copiedTo(rest);
    for (const source of sources) {
      const from = join(
        rest.includes("--from=") ? executables : REPOSITORY,
        rest.includes("--from=") ? basename(source) : source,
      );
      const to = root.path(target.endsWith("/") ? target + basename(source) : target);
      await Deno.copyFile(from, to);
      await Deno.chmod(to, 0o755);
    }
  }
  await root.runWell("bash", "-c", one(image, "RUN"));
  await root.runWell("mkdir", "-p", one(image, "WORKDIR"));
  for (const volume of commandOf(one(image, "VOLUME"))) {
    const owner = await root.runWell("stat", "-c", "uid=%u,gid=%g,mode=%a", volume);
    assert.equal(owner, "uid=10001,gid=10001,mode=700");
    // A new volume takes over owner and mode of what it covers.
    await root.runWell("mount", "-t", "tmpfs", "-o", owner, "volume", volume);
  }
  for (const mount of ["/", "/tmp", "/run"]) await root.runWell("mount", "-o", "remount,ro", mount);
}

/** The user of the image with its variables, no right more, and nothing else. */
function asTheImageSays(command: readonly string[], more: Readonly<Record<string, string>> = {}): string[] {
  const [user, group] = one(image, "USER").split(":");
  const environment = Object.entries({ ...variables, ...more }).map(([name, value]) => `${name}=${value}`);
  const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  return [
    ...[
      "setpriv",
      `--reuid=${user}`,
      `--regid=${group}`,
      "--clear-groups",
      "--no-new-privs",
      "--bounding-set=-all",
    ],
    ...["env", "-i", "-C", one(image, "WORKDIR"), path, ...environment, ...command],
  ];
}

/** Sends the signal of STOPSIGNAL to the first process of the container, which has number 1 in there only. */
async function stopProcess1(root: ScratchRoot): Promise<void> {
  const inner = "grep -lE '^NSpid:\\s+[0-9]+\\s+1$' /proc/[0-9]*/status | cut -d/ -f3";
  await root.runWell("sh", "-c", `kill -${one(image, "STOPSIGNAL").replace("SIG", "")} $(${inner})`);
}

await scratchRootTest(
  "the image's server runs as process 1 on a read-only file system, healthy until it stops",
  {
    systemd: false,
  },
  async () => {
    await using executables = await packageableExecutables();
    await using root = await ScratchRoot.start({ systemd: false, shared: executables.shared });
    await makeImage(root, executables.directory);
    const check = commandOf(one(image, "HEALTHCHECK"));
    const health = async (more: Readonly<Record<string, string>> = {}): Promise<number> =>
      (await root.run(...asTheImageSays(check, more))).code;
    assert.equal(await health(), 1, "nothing listens yet");

    for (const token of [undefined, "secret"]) {
      const more = token === undefined ? {} : { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: token };
      const process1 = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
      const server = root.spawn(...process1, ...asTheImageSays(commandOf(one(image, "CMD")), more));
      const output = server.output();
      await eventually(async () => assert.equal(await health(more), 0), 10);
      assert.equal(await health(), 0, "a token that the check doesn't know is none of its business");
      assert.equal(await health({ ...more, SERVICE_PORT: "8086" }), 1, "nothing listens there");
      assert.equal(
        (await root.run(...asTheImageSays(["eventstore-init"]))).code,
        1,
        "the server has made the database",
      );
      await stopProcess1(root);
      const { code, stdout, stderr } = await output;
      const printed = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assert.equal(code, 0, printed);
      assert.match(printed, /listening on http:\/\/0\.0\.0\.0:8085/);
    }
    assert.equal(await health(), 1, "the server has stopped");
  },
);
