import assert from "node:assert/strict";
import { join } from "node:path";
import { type DebianProgram, debianTest } from "./debian_program.ts";
import { excusedFromMounting, needingTest } from "./needing_test.ts";

export const MEBIBYTE = 1024 * 1024;

/** A small file system of its own, or undefined where none may be mounted. */
export class SmallDisk implements Disposable {
  readonly path: string;
  readonly #filler: string;

  private constructor(path: string) {
    this.path = path;
    this.#filler = join(path, "filler");
  }

  static mount(): SmallDisk | undefined {
    const path = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
    const args = ["-t", "tmpfs", "-o", "size=24m", "tmpfs", path];
    try {
      if (new Deno.Command("mount", { args }).outputSync().success) return new SmallDisk(path);
    } catch {
      // No mount program: as good as not being allowed to.
    }
    Deno.removeSync(path);
    return undefined;
  }

  /** Leaves about so many bytes free. */
  fill(freeBytes: number): void {
    Deno.writeFileSync(this.#filler, new Uint8Array(24 * MEBIBYTE - used(this.path) - freeBytes));
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

function used(path: string): number {
  let bytes = 0;
  for (const { name, isDirectory } of Deno.readDirSync(path)) {
    const child = join(path, name);
    bytes += isDirectory ? used(child) : (Deno.statSync(child).blocks ?? 0) * 512;
  }
  return bytes;
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
