import { cpus, totalmem } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { measuredOver } from "./measure.ts";
import { diskSync } from "./baselines/disk_sync.ts";

/** The properties of the machine that the numbers depend on. None of them identifies a single machine. */
export interface Machine {
  readonly system: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryBytes: number;
  readonly denoVersion: string;
  readonly v8Version: string;
  readonly sqliteVersion: string;
  /** Median time to append 4 KiB to a file and make it durable. */
  readonly fdatasyncMilliseconds: number;
}

/** @param directory a directory on the disk that is measured */
export async function machineFacts(directory: string): Promise<Machine> {
  const syncs = await diskSync(directory, { warmUpSeconds: 0.2, seconds: 1 });
  return {
    system: `${Deno.build.os} ${Deno.build.arch}`,
    cores: navigator.hardwareConcurrency,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    memoryBytes: totalmem(),
    denoVersion: Deno.version.deno,
    v8Version: Deno.version.v8,
    sqliteVersion: sqliteVersion(),
    fdatasyncMilliseconds: measuredOver([syncs]).p50Milliseconds,
  };
}

function sqliteVersion(): string {
  using database = new DatabaseSync(":memory:");
  return String(database.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
}

export function machineText(machine: Machine): string {
  const { system, cores, cpu, memoryBytes, denoVersion, sqliteVersion, fdatasyncMilliseconds } = machine;
  return `Deno ${denoVersion}, SQLite ${sqliteVersion}, ${system}, ${cores} cores (${cpu}), ` +
    `${(memoryBytes / 2 ** 30).toFixed(0)} GiB, fdatasync ${fdatasyncMilliseconds.toFixed(2)} ms`;
}
