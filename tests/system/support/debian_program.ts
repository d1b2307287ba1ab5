import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { aptGet, run } from "./apt.ts";
import { needingTest } from "../../support/needing_test.ts";

/** A program of Debian, ready to be started. */
export interface DebianProgram {
  readonly path: string;
  /** Where its package was unpacked; "/" when it is installed on this machine. */
  readonly root: string;
  /** Variables that it needs besides the caller's own. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The package of each program that has another name than its package. */
const PACKAGES: Readonly<Record<string, string>> = {
  promtool: "prometheus",
  "systemd-analyze": "systemd",
  man: "man-db",
  groff: "groff-base",
  node: "nodejs",
  "mkfs.ext4": "e2fsprogs",
  "fsck.ext4": "e2fsprogs",
  prlimit: "util-linux",
  fincore: "util-linux",
  dd: "coreutils",
  findmnt: "util-linux",
  umount: "mount",
  postgres: "postgresql",
  initdb: "postgresql",
  psql: "postgresql-client",
  etcd: "etcd-server",
  go: "golang-go",
  // The package named cargo stays at the version of the release.
  cargo: "cargo-web",
  mvn: "maven",
};

const FOLDERS = ["usr/bin", "usr/sbin", "bin", "sbin", "usr/share/maven/bin"];

/** Where a version of PostgreSQL has its own programs. */
const POSTGRES = "usr/lib/postgresql";

/** The C library and its loader belong together; the machine's own pair is used. */
const NEVER_UNPACKED = /^(libc6|libc-bin|libc-l10n)(:|$)/;

/** The program is not available on this machine. */
export class ProgramMissing extends Error {
  constructor(name: string, reason: string) {
    super(`${name} is not installed and cannot be fetched: ${reason}`);
    this.name = "ProgramMissing";
  }
}

/**
 * The program on this machine, or else the one of Debian's package. The package is fetched once with apt into a cache
 * directory, and unpacked there with everything that it depends on and the machine lacks. Nothing is installed.
 */
export async function debianProgram(name: string): Promise<DebianProgram> {
  const installed = installedProgram(name);
  if (installed !== undefined) return { path: installed, root: "/", environment: {} };
  try {
    return programBelow(await unpackedPackage(PACKAGES[name] ?? name), name);
  } catch (error) {
    throw new ProgramMissing(name, (error as Error).message);
  }
}

/** The same for several programs. */
export async function debianPrograms<Name extends string>(
  names: readonly Name[],
): Promise<Readonly<Record<Name, DebianProgram>>> {
  const found = {} as Record<Name, DebianProgram>;
  for (const name of names) found[name] = await debianProgram(name);
  return found;
}

/**
 * Registers a test that starts programs of Debian. Where they are not available it is ignored and its name says
 * why; with CI=true it fails, unless the machine is no Linux at all.
 */
export async function debianTest<Name extends string>(
  programs: readonly Name[],
  name: string,
  test: (programs: Readonly<Record<Name, DebianProgram>>) => void | Promise<void>,
): Promise<void> {
  let found = {} as Readonly<Record<Name, DebianProgram>>;
  let missing: string | undefined;
  try {
    found = await debianPrograms(programs);
  } catch (error) {
    if (!(error instanceof ProgramMissing)) throw error;
    missing = error.message;
  }
  needingTest(name, { missing, excused: Deno.build.os !== "linux" }, () => test(found));
}

function installedProgram(name: string): string | undefined {
  const onPath = (Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== "");
  // Programs for administrators are not on the PATH of every user.
  const folders = [...onPath, "/usr/sbin", "/sbin"];
  return [...folders, ...postgresFolders("/")].map((folder) => join(folder, name)).find(isFile);
}

function postgresFolders(root: string): string[] {
  const folder = join(root, POSTGRES);
  if (!isFolder(folder)) return [];
  const versions = [...Deno.readDirSync(folder)].map(({ name }) => Number(name)).sort((a, b) => b - a);
  return versions.map((version) => join(folder, String(version), "bin"));
}

function programBelow(root: string, name: string): DebianProgram {
  const folders = [...FOLDERS.map((folder) => join(root, folder)), ...postgresFolders(root)];
  const path = folders.map((folder) => join(folder, name)).find(isFile);
  if (path === undefined) throw new Error(`the package has no program of this name below ${root}`);
  const libraries = libraryFolders(root);
  return { path, root, environment: libraries === "" ? {} : { LD_LIBRARY_PATH: libraries } };
}

function libraryFolders(root: string): string {
  const folders: string[] = [];
  const visit = (folder: string, depth: number): void => {
    const entries = isFolder(folder) ? [...Deno.readDirSync(folder)] : [];
    if (entries.some((entry) => /\.so(\.|$)/.test(entry.name))) folders.push(folder);
    for (const entry of entries) {
      if (entry.isDirectory && depth > 0) visit(join(folder, entry.name), depth - 1);
    }
  };
  for (const folder of ["usr/lib", "lib"]) visit(join(root, folder), 2);
  return folders.join(":");
}

/** The directory with the unpacked package. It exists only when it is complete. */
async function unpackedPackage(name: string): Promise<string> {
  const cache = cacheDirectory();
  Deno.mkdirSync(cache, { recursive: true });
  const root = join(cache, `${name}-${await machineState()}`);
  if (isFolder(root)) return root;
  using lock = Deno.openSync(join(cache, "lock"), { create: true, write: true });
  await lock.lock(true);
  if (!isFolder(root)) await fetchPackage(cache, name, root);
  return root;
}

/** Updates the lists of packages once, however many packages are fetched. */
let listsUpdated: Promise<string> | undefined;

async function fetchPackage(cache: string, name: string, root: string): Promise<void> {
  for (const entry of Deno.readDirSync(cache)) {
    // Unpacked for an earlier state of this machine, or left behind by a killed run.
    const stale = entry.name.replace(/-[0-9a-f]{16}$/, "") === name || entry.name.startsWith("unfinished-");
    if (stale) Deno.removeSync(join(cache, entry.name), { recursive: true });
  }
  const unfinished = join(cache, `unfinished-${basename(root)}`);
  const debs = join(unfinished, "debs");
  Deno.mkdirSync(debs, { recursive: true });
  try {
    await (listsUpdated ??= aptGet(cache, ["update"], { mayFail: true }));
    const plan = await aptGet(cache, ["--simulate", "--no-install-recommends", "install", name]);
    await aptGet(cache, ["download", ...packagesToFetch(plan)], { directory: debs });
    for (const deb of Deno.readDirSync(debs)) {
      await run("dpkg-deb", ["-x", join(debs, deb.name), join(unfinished, "root")]);
    }
    Deno.renameSync(join(unfinished, "root"), root);
  } finally {
    Deno.removeSync(unfinished, { recursive: true });
  }
}

/** The lines `Inst name [old version] (version origin [architecture])` as `name=version`. */
function packagesToFetch(plan: string): string[] {
  return [...plan.matchAll(/^Inst (\S+) (?:\[\S+\] )?\((\S+) /gm)]
    .filter(([, name]) => !NEVER_UNPACKED.test(name!))
    .map(([, name, version]) => `${name}=${version}`);
}

/** Names the packages that are installed on this machine. They determine what else has to be unpacked. */
async function machineState(): Promise<string> {
  const status = await Deno.readFile("/var/lib/dpkg/status");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", status));
  return hash.toHex().slice(0, 16);
}

/** Where programs that were fetched stay, for the next run of the tests. */
export function cacheDirectory(): string {
  const home = Deno.env.get("HOME");
  const cache = Deno.env.get("XDG_CACHE_HOME") ?? (home === undefined ? undefined : join(home, ".cache"));
  const folder = "eventstore_debian_programs";
  try {
    if (cache !== undefined) {
      Deno.mkdirSync(join(cache, folder), { recursive: true });
      return join(cache, folder);
    }
  } catch {
    // A home that cannot be written to.
  }
  return join(Deno.env.get("TMPDIR") ?? "/tmp", `${folder}_${Deno.uid()}`);
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
