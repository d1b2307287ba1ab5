import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { programs } from "../../cli/programs.ts";
import { bashCompletion } from "../../cli/completions/bash.ts";
import { packagedConfigText } from "./config_toml.ts";
import { fishCompletion } from "../../cli/completions/fish.ts";
import { manPages } from "./man_pages.ts";
import { zshCompletion } from "../../cli/completions/zsh.ts";

export interface PackagedFile {
  /** Without the leading slash. */
  readonly path: string;
  readonly mode: number;
  readonly content: Uint8Array;
}

const UNITS = [
  "eventstore-server.service",
  "eventstore-server@.service",
  "eventstore-backup.service",
  "eventstore-backup.timer",
  "eventstore-keys.service",
  "eventstore-keys.timer",
];

/** Folders and files of documentation. Their paths relative to each other stay the same. */
const DOCUMENTS = ["CHANGELOG.md", "README.md", "docs/", "deploy/monitoring/"];

const REPOSITORY = new URL("../../", import.meta.url);

/** All files of the package. */
export async function packagedFiles(executables: string, changelog: string): Promise<PackagedFile[]> {
  return [
    ...await Promise.all(programs.map(({ name }) => executable(executables, name))),
    text("etc/eventstore/config.toml", packagedConfigText(), 0o640),
    ...await Promise.all(
      UNITS.map((name) => copied(`usr/lib/systemd/system/${name}`, `deploy/systemd/${name}`)),
    ),
    ...manPages().map(({ name, section, text }) =>
      compressed(`usr/share/man/man${section}/${name}.${section}.gz`, text)
    ),
    ...programs.flatMap((program) => [
      text(`usr/share/bash-completion/completions/${program.name}`, bashCompletion(program)),
      text(`usr/share/zsh/vendor-completions/_${program.name}`, zshCompletion(program)),
      text(`usr/share/fish/vendor_completions.d/${program.name}.fish`, fishCompletion(program)),
    ]),
    await copied("usr/share/doc/eventstore/copyright", "deploy/debian/copyright"),
    ...await Promise.all(
      DOCUMENTS.flatMap(filesBelow).map((path) => copied(`usr/share/doc/eventstore/${path}`, path)),
    ),
    compressed("usr/share/doc/eventstore/changelog.gz", changelog),
    await copied("usr/share/lintian/overrides/eventstore", "deploy/debian/lintian-overrides"),
  ];
}

async function executable(directory: string, name: string): Promise<PackagedFile> {
  return { path: `usr/bin/${name}`, mode: 0o755, content: await Deno.readFile(join(directory, name)) };
}

/** The paths of all files of a folder, which ends with a slash, or of a file. */
function filesBelow(path: string): string[] {
  if (!path.endsWith("/")) return [path];
  const entries = [...Deno.readDirSync(new URL(path, REPOSITORY))];
  return entries.map(({ name, isDirectory }) => path + name + (isDirectory ? "/" : "")).sort().flatMap(
    filesBelow,
  );
}

/** A file as it is in the repository. */
async function copied(path: string, source: string): Promise<PackagedFile> {
  return { path, mode: 0o644, content: await Deno.readFile(new URL(source, REPOSITORY)) };
}

function text(path: string, content: string, mode = 0o644): PackagedFile {
  return { path, mode, content: new TextEncoder().encode(content) };
}

function compressed(path: string, content: string): PackagedFile {
  return { path, mode: 0o644, content: gzipSync(content, { level: 9 }) };
}
