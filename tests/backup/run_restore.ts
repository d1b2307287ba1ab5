import assert from "node:assert/strict";
import type { Ended } from "../support/run_command.ts";
import type { BackupDirectories } from "./run_backup.ts";

/** Runs `restore`. */
export function restore(place: BackupDirectories, ...args: string[]): Promise<Ended> {
  return place.run({ args: ["restore", ...args] });
}

/** The store ID that restore printed. */
export function restoredId({ code, stdout, stderr }: Ended): string {
  assert.deepEqual([code, stderr], [0, ""]);
  return /^store ([0-9a-f-]{36}), with the \d+ events of store [0-9a-f-]{36}$/m.exec(stdout)![1]!;
}
