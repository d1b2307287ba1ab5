import assert from "node:assert/strict";
import { join } from "node:path";
import { type DebianProgram, debianTest } from "./debian_program.ts";
import { excusedFromMounting, needingTest } from "../../support/needing_test.ts";

export const MEBIBYTE = 1024 * 1024;

/** A small file system of its own, or undefined where none may be mounted. */
export class SmallDisk implements Disposable {
  readonly path: string;
  readonly #filler: string;

  private constructor(path: string) {
    this.path = path;
    this.#filler = join(path, "filler");
  }

  static mount(mebibytes = 24): SmallDisk | undefined {
    const path = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
    const args = ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", path];
    if (succeeds("mount", ...args)) return new SmallDisk(path);
    Deno.removeSync(path);
    return undefined;
  }

  /** @param image a file with a file system in it, such as ext4 */
  static mountImage(image: string): SmallDisk | undefined {
    const path = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
    if (succeeds("mount", "-o", "loop,errors=remount-ro", image, path)) return new SmallDisk(path);
    Deno.removeSync(path);
    return undefined;
  }

  /** Leaves about so many bytes free, also while another process writes. */
  fill(freeBytes: number): void {
    using file = Deno.openSync(this.#filler, { write: true, createNew: true });
    let bytes = 0;
    try {
      for (const chunk = new Uint8Array(MEBIBYTE);;) bytes += file.writeSync(chunk);
    } catch (error) {
      // No space is left.
      if ((error as { code?: string }).code !== "ENOSPC") throw error;
    }
    file.truncateSync(Math.max(0, bytes - freeBytes));
  }

  free(): void {
    Deno.removeSync(this.#filler);
  }

  [Symbol.dispose](): void {
    const { success } = new Deno.Command("umount", { args: ["-l", this.path] }).outputSync();
    assert.ok(success, `${this.path} stays mounted`);
    Deno.removeSync(this.path);
  }
}

/** False also without the program, which is as good as not being allowed. */
function succeeds(program: string, ...args: readonly string[]): boolean {
  try {
    return new Deno.Command(program, { args: [...args] }).outputSync().success;
  } catch {
    return false;
  }
}

/** Registers a test that gets such a file system. */
export function smallDiskTest(name: string, test: (disk: SmallDisk) => Promise<void>): void {
  needingTest(
    name,
    { missing: mayMount() ? undefined : MISSING, excused: excusedFromMounting() },
    async () => {
      using disk = SmallDisk.mount();
      if (disk === undefined) throw new Error(MISSING);
      await test(disk);
    },
  );
}

/** Registers a test that gets such a file system and starts programs of Debian. */
export async function smallDiskDebianTest<Name extends string>(
  programs: readonly Name[],
  name: string,
  test: (disk: SmallDisk, programs: Readonly<Record<Name, DebianProgram>>) => Promise<void>,
): Promise<void> {
  if (!mayMount()) {
    return needingTest(name, { missing: MISSING, excused: excusedFromMounting() }, () => {});
  }
  await debianTest(programs, name, async (found) => {
    using disk = SmallDisk.mount();
    if (disk === undefined) throw new Error(MISSING);
    await test(disk, found);
  });
}

const MISSING = "no file system may be mounted here";

function mayMount(): boolean {
  using disk = SmallDisk.mount();
  return disk !== undefined;
}
