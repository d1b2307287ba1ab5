import assert from "node:assert/strict";
import { Disk, type DiskImage, type Survival } from "../../audit/power/disk.ts";
import type { DiskOperation } from "../../audit/power/trace.ts";

const ALL: Survival = { names: (pending) => pending, change: () => true };
const NONE: Survival = { names: () => 0, change: () => false };

function diskAfter(...operations: readonly DiskOperation[]): Disk {
  const disk = new Disk();
  for (const operation of operations) disk.apply(operation);
  return disk;
}

const create = (file: string): DiskOperation => ({ kind: "create", file, truncates: false });
const sync = (file: string): DiskOperation => ({ kind: "sync", file });
const write = (file: string, at: number, text: string): DiskOperation => {
  return { kind: "write", file, at, bytes: new TextEncoder().encode(text) };
};

function texts(image: DiskImage): Record<string, string> {
  return Object.fromEntries([...image].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]));
}

Deno.test("synced data is there, and unsynced data only if it survives", () => {
  const disk = diskAfter(create("a"), write("a", 0, "one"), sync("a"), sync(""), write("a", 1, "XYZ"));
  assert.deepEqual(texts(disk.image(NONE)), { a: "one" });
  assert.deepEqual(texts(disk.image(ALL)), { a: "oXYZ" });
  assert.equal(disk.pending, 1);
});

Deno.test("a file has a name only once its directory is synced, whatever its content", () => {
  const disk = diskAfter(create("a"), write("a", 0, "one"), sync("a"));
  assert.deepEqual(texts(disk.image(NONE)), {});
  assert.deepEqual(texts(disk.image({ ...NONE, names: () => 1 })), { a: "one" });
});

Deno.test("changes of names survive in their order, and a rename in one step", () => {
  const disk = diskAfter(create("a"), sync("a"), sync(""), create("b"), {
    kind: "rename",
    file: "a",
    to: "c",
  });
  const left = (names: number): string[] => [...disk.image({ ...ALL, names: () => names }).keys()].sort();
  assert.deepEqual([left(0), left(1), left(2)], [["a"], ["a", "b"], ["b", "c"]]);
  disk.apply({ kind: "unlink", file: "b" });
  assert.deepEqual([left(3), left(2)], [["c"], ["b", "c"]]);
});

Deno.test("a write may reach the disk without the one before it, and in part", () => {
  const disk = diskAfter(
    create("a"),
    sync(""),
    write("a", 0, "1".repeat(1024)),
    write("a", 1024, "2".repeat(1024)),
  );
  const kept = disk.image({ ...ALL, change: (index) => index === 1 }).get("a")!;
  assert.deepEqual([kept.length, kept[0], kept[1024]], [2048, 0, 0x32]);
  // The second sector of the first write, and the first sector of the second write.
  const torn = disk.image({ ...ALL, change: () => (sector) => sector === 1 || sector === 2 }).get("a")!;
  assert.deepEqual([torn.length, torn[0], torn[512], torn[1024]], [1536, 0, 0x31, 0x32]);
});

Deno.test("a part that was cut off does not come back when the file grows again", () => {
  const disk = diskAfter(create("a"), sync(""), write("a", 0, "secret"), sync("a"));
  disk.apply({ kind: "truncate", file: "a", size: 2 });
  assert.deepEqual(texts(disk.image(NONE)), { a: "secret" });
  disk.apply(write("a", 4, "!"));
  assert.deepEqual(texts(disk.image(ALL)), { a: "se\0\0!" });
});
