import assert from "node:assert/strict";
import { join } from "node:path";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import { type Answer, assertTold, isAcknowledged, writeWhole } from "./acknowledged_writes.ts";

const MEBIBYTE = 1024 * 1024;

/** A small file system of its own, or undefined where none may be mounted. */
class SmallDisk implements Disposable {
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

const mayMount = ((): boolean => {
  using disk = SmallDisk.mount();
  return disk !== undefined;
})();

async function onSmallDisk(run: (disk: SmallDisk, server: ServerProcess) => Promise<void>): Promise<void> {
  using disk = SmallDisk.mount()!;
  await using server = await startServer({ env: { SERVICE_DATA_DIR: join(disk.path, "data") } });
  await run(disk, server);
}

/** Large names make large writes: events, tags and projection hold the name. */
const nameOf = (i: number): string => `${i} `.padEnd(20_000, "x");

/** Writes until one is not acknowledged. Returns how many were. */
async function writeUntilFull(client: Client, answers: Map<string, Answer>): Promise<number> {
  for (let i = 0; i < 500; i++) {
    const name = `${answers.size} `.padEnd(1000, "x");
    const answer = await writeWhole(client, name);
    answers.set(name, answer);
    if (!isAcknowledged(answer)) return i;
  }
  return assert.fail("the disk never became full");
}

function test(name: string, run: (disk: SmallDisk, server: ServerProcess) => Promise<void>): void {
  const skipped = mayMount ? "" : " (skipped: no file system may be mounted here)";
  Deno.test({ name: name + skipped, ignore: !mayMount, fn: () => onSmallDisk(run) });
}

test(
  "full disk: writes get 500, reads go on; with room again writes go on, nothing lost, no gap",
  async (disk, server) => {
    const client = server.client();
    const answers = new Map<string, Answer>();
    answers.set("first", await writeWhole(client, "first"));
    disk.fill(MEBIBYTE);
    assert.ok(await writeUntilFull(client, answers) > 5);
    for (let i = 0; i < 5; i++) answers.set(nameOf(i), await writeWhole(client, nameOf(i)));
    // A reader is started now: it must not need room either.
    await assertTold(client, answers);
    assert.equal((await client.request("GET", "/health")).status, 200);
    assertRefusedAsFull([...answers.values()].filter((answer) => !isAcknowledged(answer)));
    disk.free();
    await eventually(async () => {
      const name = `after ${answers.size}`;
      const answer = await writeWhole(client, name);
      answers.set(name, answer);
      assert.ok(isAcknowledged(answer), JSON.stringify(answer));
    });
    for (let i = 10; i < 30; i++) answers.set(nameOf(i), await writeWhole(client, nameOf(i)));
    await assertTold(client, answers);
    await server.restart();
    await assertTold(client, answers);
  },
);

function assertRefusedAsFull(refused: readonly Answer[]): void {
  assert.equal(refused.length, 6);
  const unanswered = refused.filter((answer) => answer === "none").length;
  // When even the fence finds no room the outcome is open, once; from then on no write is tried any more.
  assert.ok(unanswered <= 1, `${unanswered} writes were not answered`);
  for (const answer of refused) {
    if (answer === "none") continue;
    assert.equal(answer.status, 500);
    assert.match(answer.text, /"error":"InternalError".*nothing was written: .*full/);
  }
}

test(
  "full disk, kill -9, restart with room: every acknowledged write is there, no refused one",
  async (disk, server) => {
    const client = server.client();
    const answers = new Map<string, Answer>();
    answers.set("first", await writeWhole(client, "first"));
    disk.fill(MEBIBYTE);
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; i < 100; i++) {
        const name = `${writer} ${i} `.padEnd(1000, "x");
        const answer = await writeWhole(client, name);
        answers.set(name, answer);
        if (!isAcknowledged(answer)) return;
      }
      assert.fail("the disk never became full");
    });
    await Promise.all(writers);
    await server.kill();
    disk.free();
    await server.start();
    await assertTold(client, answers);
  },
);
