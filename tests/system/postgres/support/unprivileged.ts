import { basename, join } from "node:path";
import type { DebianProgram } from "../../support/debian_program.ts";

/** The user ID of `nobody`: PostgreSQL does not run as root. */
const UNPRIVILEGED = 65_534;

/** The beginning of a command that must not run as root. */
export function asUnprivileged(): string[] {
  if (Deno.uid() !== 0) return [];
  return ["setpriv", `--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, "--clear-groups"];
}

/** Makes the user of such a command the owner of a file or directory. */
export function disown(path: string): void {
  if (Deno.uid() === 0) Deno.chownSync(path, UNPRIVILEGED, UNPRIVILEGED);
}

/**
 * The programs at a path where such a command can start them: fetched programs may be in root's own directory.
 * @param directory where copies may be put
 */
export function reachable<Name extends string>(
  programs: Readonly<Record<Name, DebianProgram>>,
  directory: string,
): Record<Name, DebianProgram> {
  const found = Object.entries<DebianProgram>(programs);
  const roots = new Set(found.map(([, { root }]) => root).filter((root) => root !== "/" && Deno.uid() === 0));
  const copies = new Map([...roots].map((root) => [root, copyOf(root, directory)]));
  return Object.fromEntries(
    found.map(([name, program]) => [name, moved(program, copies.get(program.root) ?? program.root)]),
  ) as Record<Name, DebianProgram>;
}

function copyOf(root: string, directory: string): string {
  const copy = join(directory, "programs", basename(root));
  Deno.mkdirSync(join(directory, "programs"), { recursive: true });
  // Links are free, where they are possible.
  const script = 'cp -al "$0" "$1" 2>/dev/null || { rm -rf "$1" && cp -a "$0" "$1"; }';
  const { success } = new Deno.Command("sh", { args: ["-c", script, root, copy] }).outputSync();
  if (!success) throw new Error(`${root} cannot be copied`);
  return copy;
}

function moved({ path, root, environment }: DebianProgram, copy: string): DebianProgram {
  const at = (text: string): string => root === "/" ? text : text.replaceAll(root, copy);
  return {
    path: at(path),
    root: copy,
    environment: Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, at(value)])),
  };
}
