import assert from "node:assert/strict";
import { runCommand } from "./run_command.ts";

/** Removes a file from the system's page cache, as after a start of the machine. */
export async function removeFromPageCache(path: string): Promise<void> {
  const dropping = ["dd", `of=${path}`, "oflag=nocache", "conv=notrunc,fdatasync", "count=0"];
  const { code, stderr } = await runCommand(dropping);
  assert.equal(code, 0, stderr);
}
