import assert from "node:assert/strict";
import { join } from "node:path";
import { NOBODY, StandIn } from "./stand_in.ts";
import { runCommand } from "../support/run_command.ts";

/* The header of a self-extracting executable passes some things on to the program, and others not. */

Deno.test("arguments reach the program as they are", async () => {
  using standIn = new StandIn();
  const args = [
    "",
    "a b",
    "*",
    "$HOME",
    "`id`",
    "'",
    '"',
    "\\",
    "new\nline",
    "-n",
    "--",
    "--version",
    "@NAME@",
  ];
  const { code, stdout } = await standIn.run(["printf", "%s\\0", ...args]);
  assert.deepEqual([code, stdout.split("\0")], [0, [...args, ""]]);
});

Deno.test("standard input, output and error are the program's", async () => {
  using standIn = new StandIn();
  const ended = await standIn.run(["sh", "-c", "cat; echo wrong >&2"], { stdin: "some\ninput" });
  assert.deepEqual(ended, { code: 0, stdout: "some\ninput", stderr: "wrong\n" });
});

Deno.test("the exit code is the program's", async () => {
  using standIn = new StandIn();
  for (const code of [0, 1, 2, 77]) {
    assert.equal((await standIn.run(["sh", "-c", `exit ${code}`])).code, code);
  }
});

Deno.test("the program has the process ID that was started, and gets its signals", async () => {
  using standIn = new StandIn();
  const child = standIn.spawn([
    "sh",
    "-c",
    'trap "echo got TERM; exit 5" TERM; echo $$; while :; do sleep 0.02; done',
  ]);
  await child.stdin.close();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await reader.read()).value, `${child.pid}\n`);
  child.kill("SIGTERM");
  assert.equal((await reader.read()).value, "got TERM\n");
  assert.equal((await child.status).code, 5);
  await child.stderr.cancel();
});

Deno.test("working directory and umask are the caller's, also when the start unpacks", async () => {
  using standIn = new StandIn();
  for (let start = 0; start < 2; start++) {
    const { stdout } = await standIn.run(["sh", "-c", "pwd; umask"], {
      before: ["sh", "-c", 'umask 027; exec "$@"', "sh"],
      cwd: "/",
    });
    assert.equal(stdout, "/\n0027\n");
  }
});

for (const umask of ["000", "077", "277"]) {
  Deno.test(`with umask ${umask} what is unpacked can be read and run, and only its owner can change it`, async () => {
    using standIn = new StandIn();
    const parent = standIn.makeDirectory("of nobody", 0o755, {
      uid: Deno.uid() === 0 ? NOBODY : Deno.uid()!,
    });
    const cache = join(parent, "cache");
    const ended = await standIn.run(["true"], {
      before: ["sh", "-c", `umask ${umask}; exec "$@"`, "sh"],
      env: { EVENTSTORE_CACHE_DIR: cache },
      asNobody: true,
    });
    assert.deepEqual(ended, { code: 0, stdout: "", stderr: "" });
    const { runtime, module } = StandIn.unpacked(cache);
    const modes = [cache, runtime, module].map((path) => Deno.statSync(path).mode! & 0o777);
    assert.deepEqual(modes, [0o755, 0o755, 0o644]);
  });
}

Deno.test("the environment is passed on, without the settings of the runtime except for its certificates", async () => {
  using standIn = new StandIn();
  const mine = {
    SERVICE_PORT: "1",
    PATH: "/usr/bin:/bin",
    NO_COLOR: "1",
    TWO: "a\nDENO_LIKE=b",
    XDENO_X: "y",
  };
  const theirs = {
    DENO_DIR: "/theirs",
    DENO_V8_FLAGS: "--theirs",
    NODE_OPTIONS: "--theirs",
    NODE_TLS_REJECT_UNAUTHORIZED: "theirs",
    OTEL_DENO: "theirs",
  };
  const { stdout } = await standIn.run(["env", "-0"], {
    env: { ...mine, ...theirs, EVENTSTORE_CACHE_DIR: standIn.cache },
  });
  const variables = Object.fromEntries(stdout.split("\0").map((line) => line.split(/=(.*)/s).slice(0, 2)));
  for (const [name, value] of Object.entries(mine)) assert.equal(variables[name], value, name);
  assert.doesNotMatch(stdout, /theirs/);
});

Deno.test("an empty environment is enough", async () => {
  using standIn = new StandIn();
  const { code, stdout } = await standIn.run(["printf", "started"], {
    before: ["env", "-i", `EVENTSTORE_CACHE_DIR=${standIn.cache}`],
  });
  assert.deepEqual([code, stdout], [0, "started"]);
});

Deno.test("it can be started through symbolic links, from PATH, and by a shell", async () => {
  using standIn = new StandIn();
  const bin = standIn.makeDirectory("bin", 0o755);
  Deno.symlinkSync(standIn.path, join(bin, "first"));
  Deno.symlinkSync("first", join(bin, "second"));
  const env = { EVENTSTORE_CACHE_DIR: standIn.cache, PATH: `${bin}:/usr/bin:/bin` };
  for (
    const command of [[join(bin, "second")], ["env", "second"], ["sh", join(bin, "second")], ["sh", "second"]]
  ) {
    await Deno.remove(standIn.cache, { recursive: true }).catch(() => {});
    const { stdout } = await runCommand([...command, "printf", "started"], { cwd: bin, env, clearEnv: true });
    assert.equal(stdout, "started", command.join(" "));
  }
});
