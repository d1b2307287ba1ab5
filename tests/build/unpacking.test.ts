import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { StandIn } from "./stand_in.ts";
import { randomBytes } from "node:crypto";
import { posixChecksum } from "../../tools/build/posix_checksum.ts";

/* The header of a self-extracting executable uses its cache directory correctly, even after damage. */

const PRINT = ["printf", "started"];

/** The moments at which a start is killed, and the size of what it unpacks. */
const [MOMENTS, BYTES] = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? [12, 8_000_000] : [6, 2_000_000];

async function assertStarts(standIn: StandIn): Promise<void> {
  assert.deepEqual(await standIn.run(PRINT), { code: 0, stdout: "started", stderr: "" });
}

const inodes = (cache: string): (number | null)[] =>
  StandIn.filesIn(cache).map((path) => Deno.statSync(path).ino);

Deno.test("the first start unpacks runtime and program, later ones write nothing", async () => {
  using standIn = new StandIn();
  await assertStarts(standIn);
  const { runtime, module } = StandIn.unpacked(standIn.cache);
  assert.equal(Deno.readTextFileSync(module), "// the program\n");
  assert.match(Deno.readTextFileSync(runtime), /^#!\/bin\/sh/);
  const before = inodes(standIn.cache);
  await assertStarts(standIn);
  assert.deepEqual(inodes(standIn.cache), before);
});

for (const which of ["runtime", "module"] as const) {
  const damages: Readonly<Record<string, (path: string) => void>> = {
    "is gone": (path) => Deno.removeSync(path),
    "is empty": (path) => Deno.truncateSync(path),
    "was cut short": (path) => Deno.truncateSync(path, Deno.statSync(path).size - 1),
    "has a byte too many": (path) => Deno.writeTextFileSync(path, "\n", { append: true }),
    "has one wrong bit": (path) => {
      const bytes = Deno.readFileSync(path);
      bytes[5]! ^= 1;
      Deno.writeFileSync(path, bytes);
    },
  };
  for (const [damage, make] of Object.entries(damages)) {
    Deno.test(`an unpacked ${which} that ${damage} is replaced`, async () => {
      using standIn = new StandIn();
      await assertStarts(standIn);
      const { runtime, module } = StandIn.unpacked(standIn.cache);
      const path = which === "runtime" ? runtime : module;
      const whole = Deno.readFileSync(path);
      make(path);
      await assertStarts(standIn);
      assert.deepEqual(Deno.readFileSync(path), whole);
    });
  }
}

Deno.test("a damaged runtime is replaced by a new file, so that a program that still runs on it continues", async () => {
  using standIn = new StandIn();
  const running = standIn.spawn(["sh", "-c", "echo started; cat"]);
  const output = running.stdout.getReader();
  await output.read();
  const { module } = StandIn.unpacked(standIn.cache);
  const held = Deno.openSync(module);
  Deno.truncateSync(module, 3);
  await assertStarts(standIn);
  assert.equal(held.statSync().size, 3, "the file that was there is another one now");
  held.close();
  await running.stdin.close();
  assert.equal((await running.status).code, 0);
  await output.cancel();
  await running.stderr.cancel();
});

Deno.test("eight first starts at once all start, and leave one copy of each file", async () => {
  using standIn = new StandIn(BYTES);
  const ended = await Promise.all(Array.from({ length: 8 }, () => standIn.run(PRINT)));
  for (const each of ended) assert.deepEqual(each, { code: 0, stdout: "started", stderr: "" });
  StandIn.unpacked(standIn.cache);
});

Deno.test("a start that is killed at any moment leaves nothing that a later one would take", async () => {
  using standIn = new StandIn(BYTES);
  const began = performance.now();
  await assertStarts(standIn);
  const wholeMilliseconds = performance.now() - began;
  let halfway = 0;
  // How long a start takes varies with what else the machine does, so the moments may all have been too early or late.
  for (let round = 0; round < MOMENTS || (halfway === 0 && round < 120); round++) {
    Deno.removeSync(standIn.cache, { recursive: true });
    // In a session of its own, so that the kill reaches all its processes, as a power cut would.
    const child = standIn.spawn(PRINT, { before: ["setsid"] });
    await delay(wholeMilliseconds * (round < MOMENTS ? round / MOMENTS : Math.random()));
    await new Deno.Command("kill", { args: ["-KILL", "--", `-${child.pid}`], stderr: "null" }).output();
    await child.stdin.close().catch(() => {});
    await child.output();
    if (
      await exists(standIn.cache) && StandIn.filesIn(standIn.cache).some((path) => /new\.\w+$/.test(path))
    ) {
      halfway++;
    }
    await assertStarts(standIn);
  }
  assert.ok(halfway > 0, "no kill came while something was being unpacked");
});

Deno.test("what a killed start has left is removed a day later by the next one", async () => {
  using standIn = new StandIn();
  await assertStarts(standIn);
  const { runtime } = StandIn.unpacked(standIn.cache);
  const [old, young] = [join(dirname(runtime), "new.aaaaaa"), join(dirname(runtime), "new.bbbbbb")];
  for (const path of [old, young]) Deno.writeTextFileSync(path, "half");
  const twoDaysAgo = Date.now() / 1000 - 2 * 86400;
  Deno.utimeSync(old, twoDaysAgo, twoDaysAgo);
  await assertStarts(standIn);
  assert.deepEqual([await exists(old), await exists(young)], [false, true]);
});

Deno.test("an executable that was cut short says so and unpacks nothing", async () => {
  using standIn = new StandIn(100_000);
  Deno.truncateSync(standIn.path, Deno.statSync(standIn.path).size - 5000);
  const ended = await standIn.run(PRINT);
  assert.deepEqual([ended.code, ended.stdout], [1, ""]);
  assert.match(ended.stderr, /unexpected end of file/);
  assert.deepEqual(StandIn.filesIn(standIn.cache), []);
});

Deno.test("without space in the cache directory no file remains there, and the reason is printed", async () => {
  using standIn = new StandIn(1_000_000);
  const limited = ["sh", "-c", 'trap "" XFSZ && ulimit -f 100 && exec "$@"', "sh"];
  const ended = await standIn.run(PRINT, { before: limited });
  assert.deepEqual([ended.code, ended.stdout], [1, ""]);
  assert.match(ended.stderr, /EVENTSTORE_CACHE_DIR/);
  assert.match(ended.stderr, /too large/i);
  assert.deepEqual(StandIn.filesIn(standIn.cache), []);
});

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

async function cksum(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const child = new Deno.Command("cksum", { stdin: "piped", stdout: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(bytes);
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout).trim();
}

Deno.test("the checksum is the one that cksum prints", async () => {
  for (const length of [0, 1, 2, 255, 256, 65535, 65536, 100_003]) {
    const bytes = new Uint8Array(randomBytes(length));
    assert.equal(posixChecksum(bytes), await cksum(bytes));
  }
  assert.equal(posixChecksum(new Uint8Array(70_000)), await cksum(new Uint8Array(70_000)));
});
