import { createHash } from "node:crypto";
import { join } from "node:path";
import { VERSION } from "../../src/config/version.ts";
import { type Architecture, changelogText, controlText } from "./debian_control.ts";
import { architectureOf } from "./executable_architecture.ts";
import { type PackagedFile, packagedFiles } from "./packaged_files.ts";

export interface PackageOptions {
  /** The directory of the executables. */
  readonly from: string;
  /** The directory for the package. */
  readonly to: string;
  readonly architecture: Architecture;
  /** As `Name <address>`. */
  readonly maintainer: string;
  readonly compression: Compression;
}

/**
 * The executables may each contain the same runtime, already compressed. The highest level of xz looks back
 * far enough to store it once, which takes minutes; a lower one gains nothing.
 */
const COMPRESSION = { xz: ["-Zxz", "-z9"], none: ["-Znone"] } as const;

export type Compression = keyof typeof COMPRESSION;

const SCRIPTS = ["postinst", "prerm", "postrm"];

/** Builds the Debian package and returns its path. The same executables give the same bytes. */
export async function buildPackage(options: PackageOptions): Promise<string> {
  const { to, architecture, maintainer } = options;
  const stage = await Deno.makeTempDir({ prefix: "eventstore_package_" });
  try {
    const time = await timeOf(options.from);
    const files = await packagedFiles(options.from, changelogText(maintainer, time));
    for (const file of files) {
      assertArchitecture(file, architecture);
      await put(stage, file);
    }
    const sizes = files.map(({ content }) => Math.ceil(content.length / 1024));
    const installedKibibytes = sizes.reduce((sum, size) => sum + size, 0);
    await putControl(stage, files, controlText({ architecture, maintainer, installedKibibytes }));
    await Deno.mkdir(to, { recursive: true });
    const path = join(to, `eventstore_${VERSION}_${architecture}.deb`);
    const flags = ["--root-owner-group", ...COMPRESSION[options.compression]];
    await runDpkgDeb([...flags, "--build", stage, `${path}.new`], time);
    await Deno.rename(`${path}.new`, path);
    return path;
  } finally {
    await Deno.remove(stage, { recursive: true });
  }
}

function assertArchitecture({ path, content }: PackagedFile, wanted: Architecture): void {
  if (!path.startsWith("usr/bin/")) return;
  const found = architectureOf(path, content);
  if (found === undefined || found === wanted) return;
  throw new Error(
    `${path} is for ${found}, the package for ${wanted}; did you mean --architecture ${found}?`,
  );
}

async function put(stage: string, { path, mode, content }: PackagedFile): Promise<void> {
  const staged = join(stage, path);
  await Deno.mkdir(join(staged, ".."), { recursive: true });
  await Deno.writeFile(staged, content);
  await Deno.chmod(staged, mode);
}

async function putControl(stage: string, files: readonly PackagedFile[], control: string): Promise<void> {
  const encoder = new TextEncoder();
  const sums = files.map(({ path, content }) =>
    `${createHash("md5").update(content).digest("hex")}  ${path}\n`
  );
  const conffiles = files.filter(({ path }) => path.startsWith("etc/")).map(({ path }) => `/${path}\n`);
  const texts = { control, conffiles: conffiles.join(""), md5sums: sums.join("") };
  for (const [name, text] of Object.entries(texts)) {
    await put(stage, { path: `DEBIAN/${name}`, mode: 0o644, content: encoder.encode(text) });
  }
  for (const name of SCRIPTS) {
    const content = await Deno.readFile(new URL(`../../deploy/debian/${name}`, import.meta.url));
    await put(stage, { path: `DEBIAN/${name}`, mode: 0o755, content });
  }
  // dpkg-deb keeps the modes of directories, which the umask has determined.
  for (const directory of directoriesBelow(stage)) await Deno.chmod(directory, 0o755);
}

function directoriesBelow(directory: string): string[] {
  const below = [...Deno.readDirSync(directory)].filter((entry) => entry.isDirectory);
  return [directory, ...below.flatMap(({ name }) => directoriesBelow(join(directory, name)))];
}

/** The time that every file of the package gets: SOURCE_DATE_EPOCH, else that of the newest executable. */
async function timeOf(from: string): Promise<Date> {
  const epochSeconds = Deno.env.get("SOURCE_DATE_EPOCH");
  if (epochSeconds !== undefined) return new Date(Number(epochSeconds) * 1000);
  const times: number[] = [];
  for await (const { name, isFile } of Deno.readDir(from)) {
    if (isFile && name.startsWith("eventstore-")) {
      times.push((await Deno.stat(join(from, name))).mtime!.getTime());
    }
  }
  return new Date(Math.max(0, ...times));
}

async function runDpkgDeb(args: string[], time: Date): Promise<void> {
  const { code, stderr } = await new Deno.Command("dpkg-deb", {
    args,
    env: { SOURCE_DATE_EPOCH: String(Math.floor(time.getTime() / 1000)) },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code !== 0) throw new Error(`dpkg-deb failed: ${new TextDecoder().decode(stderr).trim()}`);
}
