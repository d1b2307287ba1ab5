import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Address } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { excusedFromMounting, needingTest } from "../../support/needing_test.ts";

const SCRIPT = fileURLToPath(new URL("scratch_root.sh", import.meta.url));

const START_SECONDS = 15;

const NAMESPACES = ["mount", "pid", "uts", "ipc", "net", "cgroup"].map((name) => `--${name}`);

export interface Ended {
  readonly code: number;
  /** Standard output and standard error. */
  readonly printed: string;
}

export interface ScratchRootOptions {
  /** True when systemd runs there. */
  readonly systemd: boolean;
  /** Directories of this machine to be seen there, read-only. */
  readonly shared: readonly { readonly from: string; readonly to: string }[];
}

/**
 * A machine of its own on which packages are installed. It has the files of this machine, with changes held in
 * memory, and its own processes. It can reach nothing else of this machine.
 */
export class ScratchRoot implements AsyncDisposable {
  readonly #directory: string;
  readonly #cgroup: string | undefined;
  readonly #unshare: Deno.ChildProcess;
  #pid = 0;

  private constructor(directory: string, cgroup: string | undefined, unshare: Deno.ChildProcess) {
    this.#directory = directory;
    this.#cgroup = cgroup;
    this.#unshare = unshare;
  }

  static async start(options: ScratchRootOptions): Promise<ScratchRoot> {
    const directory = await Deno.makeTempDir({ prefix: "eventstore_root_" });
    const cgroup = options.systemd
      ? await Deno.makeTempDir({ dir: cgroups(), prefix: "eventstore_" })
      : undefined;
    // Systemd makes its groups below the one in which it starts.
    const enter = cgroup === undefined ? ":" : `echo $$ > ${cgroup}/cgroup.procs`;
    const unshare = new Deno.Command("sh", {
      args: [
        ...["-c", `${enter}; exec unshare "$@"`, "sh", ...NAMESPACES, "--fork", "--kill-child", "sh", SCRIPT],
        ...[directory, options.systemd ? "systemd" : "nothing"],
        ...options.shared.flatMap(({ from, to }) => [from, to]),
      ],
      stdin: "null",
    }).spawn();
    const root = new ScratchRoot(directory, cgroup, unshare);
    try {
      await root.#started(options.systemd ? "systemd" : "sleep");
      if (options.systemd) {
        await eventually(
          async () => void await root.runWell("systemctl", "is-system-running"),
          START_SECONDS,
        );
      }
    } catch (error) {
      await root[Symbol.asyncDispose]();
      throw error;
    }
    return root;
  }

  /** Where a path of the scratch root is found from here. */
  path(path: string): string {
    return `/proc/${this.#pid}/root${path}`;
  }

  /** The address of a unix socket there. */
  socket(path: string): Address {
    return { transport: "unix", path: this.path(path) };
  }

  /** Runs a program there as root. */
  async run(...command: readonly string[]): Promise<Ended> {
    const child = this.spawn(...command);
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    return { code, printed: decoder.decode(stdout) + decoder.decode(stderr) };
  }

  /** Runs a program that must succeed, and returns what it printed. */
  async runWell(...command: readonly string[]): Promise<string> {
    const { code, printed } = await this.run(...command);
    if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${printed}`);
    return printed.trim();
  }

  /** Starts a program there as root. */
  spawn(...command: readonly string[]): Deno.ChildProcess {
    return new Deno.Command("nsenter", {
      args: ["--target", String(this.#pid), ...NAMESPACES, "--root", "--", ...command],
      clearEnv: true,
      env: {
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        DEBIAN_FRONTEND: "noninteractive",
        LC_ALL: "C.UTF-8",
      },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#unshare.kill("SIGKILL");
    } catch {
      // It has ended by itself: the set-up failed.
    }
    await this.#unshare.status;
    if (this.#cgroup !== undefined) {
      // A group can be removed once the processes in it are gone.
      await eventually(() => removeGroups(this.#cgroup!));
    }
    await eventually(() => Deno.remove(this.#directory));
  }

  /** Waits until the set-up is over: then its script becomes the program that stays. */
  async #started(program: string): Promise<void> {
    const children = `/proc/${this.#unshare.pid}/task/${this.#unshare.pid}/children`;
    for (const endsAt = performance.now() + START_SECONDS * 1000; performance.now() < endsAt;) {
      if (!existsSync(children)) break;
      const pid = Number(Deno.readTextFileSync(children).trim());
      if (pid > 0 && Deno.readTextFileSync(`/proc/${pid}/comm`).trim() === program) {
        this.#pid = pid;
        return;
      }
      await pause(10);
    }
    throw new Error("the scratch root was not set up");
  }
}

function removeGroups(directory: string): void {
  for (const { name, isDirectory } of Deno.readDirSync(directory)) {
    if (isDirectory) removeGroups(join(directory, name));
  }
  // The files in a group belong to it and cannot be removed.
  Deno.removeSync(directory);
}

/** The directory of this machine's control groups, version 2. */
function cgroups(): string {
  for (const directory of ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]) {
    if (existsSync(join(directory, "cgroup.procs"))) return directory;
  }
  throw new Error("there are no control groups of version 2");
}

interface Needed {
  readonly systemd: boolean;
  /** Paths of programs that this machine needs in addition. */
  readonly programs?: readonly string[];
}

/** Registers a test that needs a scratch root. */
export async function scratchRootTest(
  name: string,
  options: Needed,
  test: () => Promise<void>,
): Promise<void> {
  needingTest(name, { missing: await reasonAgainst(options), excused: excusedFromMounting() }, test);
}

async function reasonAgainst({ systemd, programs: more = [] }: Needed): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return "this is not Linux";
  if (Deno.uid() !== 0) return "needs root, to mount";
  const programs = [
    "/usr/bin/dpkg",
    "/usr/bin/unshare",
    "/usr/bin/nsenter",
    "/usr/bin/perl",
    "/usr/sbin/adduser",
    ...more,
  ];
  if (systemd) programs.push("/lib/systemd/systemd", "/usr/bin/systemctl");
  const lacking = programs.find((path) => !existsSync(path));
  if (lacking !== undefined) return `there is no ${lacking}`;
  if (!await mayMount()) return "namespaces and overlays are not allowed here";
  return systemd && !mayMakeGroups() ? "control groups of version 2 are not allowed here" : undefined;
}

/** True when the first steps of the set-up are allowed here. Any later error is a failure. */
async function mayMount(): Promise<boolean> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_root_" });
  const script = `mount -t tmpfs scratch "$0" && cd "$0" && mkdir upper work root && ` +
    `mount -t overlay -o "lowerdir=/,upperdir=$0/upper,workdir=$0/work" scratch root`;
  const args = [...NAMESPACES, "--fork", "sh", "-c", script, directory];
  const { success } = await new Deno.Command("unshare", { args, stderr: "null" }).output();
  await Deno.remove(directory);
  return success;
}

function mayMakeGroups(): boolean {
  try {
    Deno.removeSync(Deno.makeTempDirSync({ dir: cgroups(), prefix: "eventstore_" }));
    return true;
  } catch {
    return false;
  }
}
