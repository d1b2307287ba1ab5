import { basename, join } from "node:path";
import { runCommand } from "../../tests/support/run_command.ts";
import { debianProgram } from "../../tests/system/support/debian_program.ts";
import { excusedFromMounting } from "../../tests/support/needing_test.ts";
import { MEBIBYTE, SmallDisk } from "../../tests/system/support/small_disk.ts";

/** Mounts an ext4 file system in a file. @returns undefined where mounting is not allowed */
export async function mountExt4(image: string): Promise<SmallDisk | undefined> {
  if (excusedFromMounting()) return undefined;
  Deno.writeFileSync(image, new Uint8Array());
  Deno.truncateSync(image, 24 * MEBIBYTE);
  await run("mkfs.ext4", "-q", "-F", "-m", "0", image);
  return SmallDisk.mountImage(image);
}

/** Mounts a file system in memory. @returns undefined where mounting is not allowed */
export function mountTmpfs(): SmallDisk | undefined {
  return excusedFromMounting() ? undefined : SmallDisk.mount();
}

/**
 * Makes an ext4 file system read-only as the kernel does after a disk error: at once, even while files are open. An
 * operator could not, since the kernel rejects a remount while a program has files open for writing.
 */
export async function makeReadOnly(disk: SmallDisk): Promise<void> {
  Deno.writeTextFileSync(await triggerOf(disk), "the audit");
}

/** Returns true when `makeReadOnly` works here. Some containers may mount, but may not do that. */
export async function canMakeReadOnly(disk: SmallDisk): Promise<boolean> {
  try {
    Deno.openSync(await triggerOf(disk), { write: true }).close();
    return true;
  } catch {
    return false;
  }
}

async function triggerOf({ path }: SmallDisk): Promise<string> {
  const device = basename(await run("findmnt", "--noheadings", "--output", "SOURCE", "--target", path));
  return `/sys/fs/ext4/${device}/trigger_fs_error`;
}

/** Repairs the file system as an operator does, once no program uses it any more. */
export async function repair(disk: SmallDisk, image: string): Promise<void> {
  await run("umount", disk.path);
  // 1: errors were corrected.
  await run("fsck.ext4", "-y", "-f", image);
  await run("mount", "-o", "loop,errors=remount-ro", image, disk.path);
}

/** Limits the size of every file that a process writes from now on. */
export async function limitFileSize(pid: number, bytes: number): Promise<void> {
  await run("prlimit", "--pid", String(pid), `--fsize=${bytes}:`);
}

export function largestFile(directory: string): number {
  const sizes = [...Deno.readDirSync(directory)].map(({ name }) => Deno.statSync(join(directory, name)).size);
  return Math.max(...sizes);
}

async function run(name: string, ...args: readonly string[]): Promise<string> {
  const { path, environment } = await debianProgram(name);
  const { code, stdout, stderr } = await runCommand([path, ...args], { env: environment });
  if (code !== 0 && !(name === "fsck.ext4" && code === 1)) {
    throw new Error(`${name} ended with ${code}: ${stderr.trim()}`);
  }
  return stdout.trim();
}
