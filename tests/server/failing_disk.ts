import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Need, needingTest, problemOf } from "../support/needing_test.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";

const SOURCE = fileURLToPath(new URL("./failing_disk.c", import.meta.url));

type Switch = "fail-sync" | "fail-sync-1" | "fail-write" | "slow-sync";

const COMPILER: Need = { missing: problemOf("gcc"), excused: Deno.build.os !== "linux" };

/** Registers a test whose server runs on a failing disk. It needs a C compiler. */
export function failingDiskTest(name: string, test: () => Promise<void>): void {
  needingTest(name, COMPILER, test);
}

/** A server whose disk fails when the test says so. */
export class FailingDisk implements AsyncDisposable {
  readonly server: ServerProcess;
  readonly #directory: string;
  readonly #switches: string;

  private constructor(server: ServerProcess, directory: string, switches: string) {
    this.server = server;
    this.#directory = directory;
    this.#switches = switches;
  }

  /** @param files the files in the data directory that fail: those whose names begin with this */
  static async start(files = "events.db-wal"): Promise<FailingDisk> {
    const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
    const library = join(directory, "failing_disk.so");
    const switches = join(directory, "switches");
    await Deno.mkdir(switches);
    const args = ["-shared", "-fPIC", "-O1", "-Wall", "-o", library, SOURCE, "-ldl"];
    const { success, stderr } = await new Deno.Command("gcc", { args }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    const env = {
      LD_PRELOAD: library,
      FAILING_DISK_FILES: join(directory, "data", files),
      FAILING_DISK_SWITCHES: switches,
      SERVICE_MAX_QUEUED_WRITES: "1000",
    };
    const server = await startServer({ directory, listen: "unix", env });
    return new FailingDisk(server, directory, switches);
  }

  turnOn(name: Switch): void {
    Deno.writeTextFileSync(join(this.#switches, name), "");
  }

  turnOff(name: Switch): void {
    Deno.removeSync(join(this.#switches, name));
  }

  isOn(name: Switch): boolean {
    return [...Deno.readDirSync(this.#switches)].some((entry) => entry.name === name);
  }

  /** How many times the write-ahead log was synced so far. */
  get walSyncs(): number {
    return [...Deno.readDirSync(this.#switches)].some(({ name }) => name === "syncs")
      ? Deno.statSync(join(this.#switches, "syncs")).size
      : 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await Deno.remove(this.#directory, { recursive: true });
  }
}
