import assert from "node:assert/strict";
import { Disk, type DiskImage, type Survival } from "../../audit/power/disk.ts";
import { type DiskOperation, type Traced, TraceReader, unquoted } from "../../audit/power/trace.ts";

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

function read(...lines: readonly string[]): Traced[] {
  return [...new TraceReader("/d/data").read(`${lines.join("\n")}\n`)];
}

function summary(traced: readonly Traced[]): string[] {
  return traced.map((one) => "act" in one ? `${one.kind} ${one.act}` : `${one.kind} ${one.file}`);
}

Deno.test("strings are read as C writes them", () => {
  assert.deepEqual([...unquoted(String.raw`a\0\12\377\n\"\\\0001`)], [97, 0, 10, 255, 10, 34, 92, 0, 49]);
});

Deno.test("only operations that change files of the data directory count", () => {
  const traced = read(
    '7 openat(AT_FDCWD</d>, "/d/data/events.db", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 3</d/data/events.db>',
    '7 openat(AT_FDCWD</d>, "/d/data/events.db", O_RDONLY|O_CLOEXEC) = 4</d/data/events.db>',
    '7 openat(AT_FDCWD</d>, "/d/other", O_RDWR|O_CREAT, 0600) = 5</d/other>',
    String.raw`7 pwrite64(3</d/data/events.db>, "ab) = 9\0", 8, 4096) = 8`,
    '7 pwrite64(5</d/other>, "ab", 2, 0) = 2',
    String.raw`7 pwrite64(6</d/data/events.db-shm>, "\0", 1, 4095) = 1`,
    "7 ftruncate(3</d/data/events.db>, 36864) = 0",
    "7 fsync(3</d/data/events.db>) = 0",
    "7 fsync(3</d/data/events.db>) = -1 EIO (Input/output error)",
    "7 fsync(8</d/data>) = 0",
    '7 rename("/d/data/a", "/d/data/b") = 0',
    '7 unlink("/d/data/b") = 0',
    '7 unlink("/d/data/c") = -1 ENOENT (No such file or directory)',
    "7 +++ killed by SIGKILL +++",
  );
  assert.deepEqual(summary(traced), [
    "create events.db",
    "write events.db",
    "truncate events.db",
    "sync events.db",
    "sync ",
    "rename a",
    "unlink b",
  ]);
  const [, write, truncate] = traced;
  assert.ok(write?.kind === "write" && truncate?.kind === "truncate");
  assert.deepEqual([new TextDecoder().decode(write.bytes), write.at, truncate.size], [
    "ab) = 9\0",
    4096,
    36864,
  ]);
});

Deno.test("an answer counts from the beginning of its sending, a write from its end", () => {
  const traced = read(
    "7 recvfrom(40<socket:[1]>,  <unfinished ...>",
    "8 fsync(3</d/data/events.db-wal> <unfinished ...>",
    String
      .raw`7 <... recvfrom resumed>"POST /write HTTP/1.1\r\nx-audit-act: 12\r\n\r\n{}", 8192, 0, NULL, NULL) = 40`,
    "8 <... fsync resumed>) = 0",
    String.raw`8 pwrite64(3</d/data/events.db-wal>, "a", 1, 32 <unfinished ...>`,
    String.raw`7 sendto(40<socket:[1]>, "HTTP/1.1 200 OK\r\n", 17, MSG_NOSIGNAL, NULL, 0 <unfinished ...>`,
    "8 <... pwrite64 resumed>) = 1",
    "7 <... sendto resumed>) = 17",
  );
  assert.deepEqual(summary(traced), [
    "asked 12",
    "sync events.db-wal",
    "answered 12",
    "write events.db-wal",
  ]);
});

Deno.test("a rejection does not count as an acknowledgement", () => {
  const asked = String
    .raw`7 recvfrom(4<socket:[1]>, "POST /write HTTP/1.1\r\nx-audit-act: 3\r\n\r\n", 99, 0, NULL, NULL) = 40`;
  const rejected = String.raw`7 sendto(4<socket:[1]>, "HTTP/1.1 409 Conflict\r\n", 23, 0, NULL, 0) = 23`;
  assert.deepEqual(summary(read(asked, rejected)), ["asked 3"]);
});

Deno.test("a trace that cannot be parsed is an error, and does not become a shorter trace", () => {
  assert.throws(() => read('7 pwrite64(3</d/data/a>, "ab"..., 4096, 0) = 4096'), /2 of 4096 bytes/);
  assert.throws(
    () => read("7 writev(3</d/data/a>, [{iov_base=..., iov_len=2}], 1) = 2"),
    /not understood: writev/,
  );
});
