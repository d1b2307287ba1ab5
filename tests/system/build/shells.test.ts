import assert from "node:assert/strict";
import { join } from "node:path";
import { type DebianProgram, debianTest } from "../support/debian_program.ts";
import { StandIn } from "../../build/stand_in.ts";

/* The header of a self-extracting executable in every /bin/sh that systems come with. */

/** Starts it twice in a shell: the first start unpacks, the second finds everything. */
async function assertStartsIn(
  shell: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  using standIn = new StandIn(100_000);
  for (let start = 0; start < 2; start++) {
    const ended = await standIn.run(["printf", "%s\\n", "a b", "$*", ""], {
      before: shell,
      env: { HOME: standIn.directory, DENO_DIR: "theirs", ...env },
    });
    assert.deepEqual(ended, { code: 0, stdout: "a b\n$*\n\n", stderr: "" });
    StandIn.unpacked(join(standIn.directory, ".cache/eventstore"));
  }
  const shut = standIn.makeDirectory("shut", 0o777);
  const rejected = await standIn.run(["true"], {
    before: shell,
    env: { EVENTSTORE_CACHE_DIR: shut, ...env },
  });
  assert.equal(rejected.code, 1);
  assert.match(
    rejected.stderr,
    /^eventstore-server: .*\neventstore-server: .*\/shut: is not a directory that/,
  );
}

for (const [name, ...options] of [["dash"], ["bash", "--posix"], ["mksh"]] as const) {
  await debianTest([name], `the header runs in ${name}`, async (programs) => {
    const shell: DebianProgram = programs[name];
    await assertStartsIn([shell.path, ...options], { PATH: "/usr/bin:/bin", ...shell.environment });
  });
}

await debianTest(
  ["busybox"],
  "the header runs in BusyBox, and names the program that it misses",
  async (programs) => {
    const { path, environment } = programs.busybox;
    using standIn = new StandIn();
    const bin = standIn.makeDirectory("bin", 0o755);
    const installed = await new Deno.Command(path, { args: ["--install", "-s", bin], env: environment })
      .output();
    assert.equal(installed.code, 0);
    // Debian builds it without cksum.
    await Deno.remove(join(bin, "cksum")).catch(() => {});
    const rejected = await standIn.run(["true"], {
      before: [join(bin, "sh")],
      env: { PATH: bin, ...environment },
    });
    const stderr = "eventstore-server: needs the program cksum, which is not on PATH\n";
    assert.deepEqual(rejected, { code: 1, stdout: "", stderr });
    Deno.symlinkSync("/usr/bin/cksum", join(bin, "cksum"));
    await assertStartsIn([join(bin, "sh")], { PATH: bin, ...environment });
  },
);
