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

const UNITS = ["eventstore-server.service", "eventstore-backup.service", "eventstore-backup.timer"];

/** Everything that the package puts into the file system. */
export async function packagedFiles(executables: string, changelog: string): Promise<PackagedFile[]> {
  return [
    ...await Promise.all(programs.map(({ name }) => executable(executables, name))),
    text("etc/eventstore/config.toml", packagedConfigText(), 0o640),
    ...await Promise.all(UNITS.map((name) => copied(`usr/lib/systemd/system/${name}`, `systemd/${name}`))),
    ...manPages().map(({ name, section, text }) =>
      compressed(`usr/share/man/man${section}/${name}.${section}.gz`, text)
    ),
    ...programs.flatMap((program) => [
      text(`usr/share/bash-completion/completions/${program.name}`, bashCompletion(program)),
      text(`usr/share/zsh/vendor-completions/_${program.name}`, zshCompletion(program)),
      text(`usr/share/fish/vendor_completions.d/${program.name}.fish`, fishCompletion(program)),
    ]),
    await copied("usr/share/doc/eventstore/copyright", "debian/copyright"),
    await copied("usr/share/doc/eventstore/CHANGELOG.md", "../../CHANGELOG.md"),
    compressed("usr/share/doc/eventstore/changelog.gz", changelog),
    await copied("usr/share/lintian/overrides/eventstore", "debian/lintian-overrides"),
  ];
}

async function executable(directory: string, name: string): Promise<PackagedFile> {
  return { path: `usr/bin/${name}`, mode: 0o755, content: await Deno.readFile(join(directory, name)) };
}

async function copied(path: string, source: string): Promise<PackagedFile> {
  return { path, mode: 0o644, content: await Deno.readFile(new URL(source, import.meta.url)) };
}

function text(path: string, content: string, mode = 0o644): PackagedFile {
  return { path, mode, content: new TextEncoder().encode(content) };
}

function compressed(path: string, content: string): PackagedFile {
  return { path, mode: 0o644, content: gzipSync(content, { level: 9 }) };
}
