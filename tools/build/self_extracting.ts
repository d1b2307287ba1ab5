import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { VERSION } from "../../src/config/version.ts";
import { posixChecksum } from "./posix_checksum.ts";
import { executableName, type ProgramName, programTask } from "./program_task.ts";
import type { Target } from "./target.ts";

/*
 * An executable in three parts: header.sh, the program and the runtime, the latter two compressed. The header
 * contains the offset, length and checksum of the other parts.
 */

/** The runtime takes nothing from where it is started: no configuration, no downloads, no caches of its own. */
const RUN_FLAGS = [
  ..."--no-config --no-lock --node-modules-dir=none --no-npm --no-remote --cached-only --no-code-cache".split(
    " ",
  ),
];

/** Something to unpack: its path in the cache directory, and its content. */
export interface Part {
  readonly path: string;
  readonly checksum: string;
  readonly compressed: Uint8Array;
}

/** Named by its hash, so that two versions never collide, and the programs share one runtime. */
export function part(name: string, bytes: Uint8Array): Part {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const compressed = gzipSync(bytes, { level: 6 });
  compressed[9] = 255; // The system that compressed it, which must not show in the build.
  return { path: `${hash}/${name}`, checksum: posixChecksum(bytes), compressed };
}

export function selfExtracting(
  program: ProgramName,
  target: Target,
  runtime: Part,
  bundle: string,
): Uint8Array {
  const name = executableName(program);
  const module = part(`${name}.js`, new TextEncoder().encode(bundle));
  const header = headerOf({
    NAME: name,
    VERSION,
    TARGET: target.machine,
    FLAGS: [...RUN_FLAGS, ...programTask(program).flags].map(quoted).join(" "),
    BUNDLE_PATH: module.path,
    BUNDLE_SUM: module.checksum,
    BUNDLE_LENGTH: String(module.compressed.length),
    RUNTIME_PATH: runtime.path,
    RUNTIME_SUM: runtime.checksum,
    RUNTIME_LENGTH: String(runtime.compressed.length),
  });
  const whole = new Uint8Array(header.length + module.compressed.length + runtime.compressed.length);
  whole.set(header);
  whole.set(module.compressed, header.length);
  whole.set(runtime.compressed, header.length + module.compressed.length);
  return whole;
}

/** Fills in header.sh. Its offsets depend on its own length, which depends on the offsets. */
function headerOf(values: Readonly<Record<string, string>>): Uint8Array {
  const template = Deno.readTextFileSync(new URL("header.sh", import.meta.url));
  for (let length = template.length;;) {
    const header = new TextEncoder().encode(fill(template, { ...values, ...offsets(length, values) }));
    if (header.length === length) return header;
    length = header.length;
  }
}

/** Counted from 1, as `tail` does. */
function offsets(headerLength: number, values: Readonly<Record<string, string>>): Record<string, string> {
  const bundle = headerLength + 1;
  return {
    BUNDLE_OFFSET: String(bundle),
    RUNTIME_OFFSET: String(bundle + Number(values["BUNDLE_LENGTH"])),
  };
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/@([A-Z_]+)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`header.sh asks for ${name}`);
    return value;
  });
}

function quoted(flag: string): string {
  return `'${flag.replaceAll("'", `'\\''`)}'`;
}
