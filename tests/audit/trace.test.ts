import assert from "node:assert/strict";
import { type Traced, TraceReader, unquoted } from "../../audit/power/trace.ts";

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
