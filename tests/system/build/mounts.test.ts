import assert from "node:assert/strict";
import { join } from "node:path";
import { excusedFromMounting, needingTest } from "../../support/needing_test.ts";
import { StandIn } from "../../build/stand_in.ts";
import type { Ended } from "../../support/run_command.ts";

/* Self-extracting executables on file systems that are full, noexec, or there; in a mount namespace of their own. */

const NAMESPACE = Deno.uid() === 0
  ? ["unshare", "--mount"]
  : ["unshare", "--user", "--map-root-user", "--mount"];

async function mountsAreAllowed(): Promise<boolean> {
  const [program, ...args] = [...NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"];
  const output = new Deno.Command(program!, { args, stdout: "null", stderr: "null" }).output();
  return await output.then(({ success }) => success, () => false);
}

const missing = await mountsAreAllowed() ? undefined : "mounts are not allowed here";

function mountsTest(name: string, test: () => Promise<void>): void {
  needingTest(name, { missing, excused: excusedFromMounting() }, test);
}

/** Runs a script in which `$1` is the executable and `mount_tmpfs DIRECTORY OPTIONS` mounts. */
async function inNamespace(
  standIn: StandIn,
  script: string,
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const mount = 'mount_tmpfs() { mount -t tmpfs -o "$2" tmpfs "$1"; }\n';
  const before = [...NAMESPACE, "sh", "-c", mount + script, "sh"];
  return await standIn.run([], { before, env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...env } });
}

mountsTest("without any home it unpacks itself in /var/cache when it may write there", async () => {
  using standIn = new StandIn();
  const script = 'mount_tmpfs /var/cache mode=755 && "$1" echo started && ls -A /var/cache';
  const ended = await inNamespace(standIn, script, { TMPDIR: standIn.directory });
  assert.deepEqual(ended, { code: 0, stdout: "started\neventstore\n", stderr: "" });
});

mountsTest(
  "what root has unpacked in /var/cache comes before home, unless something is wrong with it",
  async () => {
    using standIn = new StandIn();
    const home = standIn.makeDirectory("home", 0o755);
    const script = `mount_tmpfs /var/cache mode=755
      EVENTSTORE_CACHE_DIR=/var/cache/eventstore "$1" true && mount -o remount,bind,ro /var/cache || exit 9
      "$1" printenv STAND_IN_RUNTIME; ls -A "$HOME"
      mount -o remount,bind,rw /var/cache && rm /var/cache/eventstore/*/eventstore-server.js || exit 9
      "$1" printenv STAND_IN_RUNTIME; ls /var/cache/eventstore/*`;
    const { code, stdout, stderr } = await inNamespace(standIn, script, { HOME: home });
    assert.deepEqual([code, stderr], [0, ""]);
    const [first, second, ...left] = stdout.trim().split("\n");
    assert.match(first!, /^\/var\/cache\/eventstore\/\w+\/eventstore$/);
    assert.match(second!, /\/home\/\.cache\/eventstore\/\w+\/eventstore$/);
    assert.equal(left.filter((line) => line.endsWith("eventstore-server.js")).length, 0, "left as it is");
  },
);

mountsTest("a noexec directory is passed over, nothing stays in it, and the reason is named", async () => {
  using standIn = new StandIn();
  const home = standIn.makeDirectory("home", 0o755);
  const other = standIn.makeDirectory("other", 0o755);
  const start = 'mount_tmpfs "$HOME" noexec && "$1" printenv STAND_IN_RUNTIME; echo $?; find "$HOME" -type f';
  const passed = await inNamespace(standIn, `mount_tmpfs /var/cache noexec; ${start}`, {
    HOME: home,
    TMPDIR: other,
  });
  assert.equal(passed.stderr, "");
  assert.match(passed.stdout, /\/other\/eventstore-0\/\w+\/eventstore\n0\n$/);
  const rejected = await inNamespace(standIn, start, {
    HOME: home,
    EVENTSTORE_CACHE_DIR: join(home, "cache"),
  });
  assert.equal(rejected.stdout, "1\n");
  assert.match(rejected.stderr, /home\/cache: cannot be executed there .*noexec/);
});

mountsTest("a filled directory that becomes noexec is passed over", async () => {
  using standIn = new StandIn();
  const home = standIn.makeDirectory("home", 0o755);
  const script =
    'mount_tmpfs "$HOME" exec && "$1" echo first && mount -o remount,bind,noexec "$HOME" || exit 9; "$1" echo second';
  const ended = await inNamespace(standIn, script, {
    HOME: home,
    EVENTSTORE_CACHE_DIR: join(home, "cache"),
  });
  assert.deepEqual([ended.code, ended.stdout], [1, "first\n"]);
  assert.match(ended.stderr, /home\/cache: is mounted noexec/);
});

mountsTest("a full disk is passed over, and nothing stays on it", async () => {
  using standIn = new StandIn(3_000_000);
  const home = standIn.makeDirectory("home", 0o755);
  const script = 'mount_tmpfs "$HOME" size=1m && "$1" printenv STAND_IN_RUNTIME; find "$HOME" -type f; ' +
    'EVENTSTORE_CACHE_DIR="$HOME/cache" "$1" echo not started; echo $?';
  const ended = await inNamespace(standIn, `mount_tmpfs /var/cache size=1m; ${script}`, {
    HOME: home,
    TMPDIR: standIn.directory,
  });
  assert.match(ended.stdout, /\/eventstore-0\/\w+\/eventstore\n1\n$/);
  assert.match(ended.stderr, /home\/cache: .*No space left/);
});
