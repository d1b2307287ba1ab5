import { basename, join } from "node:path";
import { debianProgram } from "../../tests/system/support/debian_program.ts";
import { excusedFromMounting } from "../../tests/system/support/needing_test.ts";
import { MEBIBYTE, SmallDisk } from "../../tests/system/support/small_disk.ts";

/** An ext4 file system in a file. @returns undefined where none may be mounted */
export async function mountExt4(image: string): Promise<SmallDisk | undefined> {
  if (excusedFromMounting()) return undefined;
  Deno.writeFileSync(image, new Uint8Array());
  Deno.truncateSync(image, 24 * MEBIBYTE);
  await run("mkfs.ext4", "-q", "-F", "-m", "0", image);
  return SmallDisk.mountImage(image);
}

/** In memory. @returns undefined where none may be mounted */
export function mountTmpfs(): SmallDisk | undefined {
  return excusedFromMounting() ? undefined : SmallDisk.mount();
}

/**
 * Makes an ext4 file system read-only as the kernel does after an error on the disk: at once, whoever has files open.
 * An operator could not, since a remount is rejected as long as somebody writes.
 */
export async function makeReadOnly(disk: SmallDisk): Promise<void> {
  Deno.writeTextFileSync(await triggerOf(disk), "the audit");
}

/** Whether `makeReadOnly` works here, since some containers may mount and may not do that. */
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

/** What an operator does then, once nobody uses it any more. */
export async function repair(disk: SmallDisk, image: string): Promise<void> {
  await run("umount", disk.path);
  // 1: errors were corrected.
  await run("fsck.ext4", "-y", "-f", image);
  await run("mount", "-o", "loop,errors=remount-ro", image, disk.path);
}

/** How large any file of a process may become from now on. */
export async function limitFileSize(pid: number, bytes: number): Promise<void> {
  await run("prlimit", "--pid", String(pid), `--fsize=${bytes}:`);
}

export function largestFile(directory: string): number {
  const sizes = [...Deno.readDirSync(directory)].map(({ name }) => Deno.statSync(join(directory, name)).size);
  return Math.max(...sizes);
}

async function run(name: string, ...args: readonly string[]): Promise<string> {
  const { path, environment } = await debianProgram(name);
  const { code, stdout, stderr } = await new Deno.Command(path, { args: [...args], env: { ...environment } })
    .output();
  const [text, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  if (code !== 0 && !(name === "fsck.ext4" && code === 1)) {
    throw new Error(`${name} ended with ${code}: ${errors}`);
  }
  return text!;
}
