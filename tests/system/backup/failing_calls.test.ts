import assert from "node:assert/strict";
import type { Trial } from "../../../audit/faults/trials.ts";
import { ToolTrials } from "../../../audit/tools/try_tool.ts";
import { inDirectory } from "../../support/directory.ts";
import { debianTest } from "../support/debian_program.ts";

/*
 * Faults that the audit has found in the tools when system calls fail. `meet` also checks what they print and leave
 * behind; `deno task audit:check tools` tries every call of every tool.
 */

interface Case {
  readonly name: string;
  /** The occasion is the name of a tool; `n` is counted from the last call if it is negative. */
  readonly trial: Trial;
  /** The message of the tool. */
  readonly expected: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: "verify does not call a backup damaged when the disk cannot read it",
    trial: { occasion: "verify", call: "pread64", n: 3, error: "EIO", span: "lasting" },
    expected: /: not ok: cannot be read: /,
  },
  {
    name: "verify does not call a backup damaged when the disk fails in the middle of it",
    trial: { occasion: "verify", call: "pread64", n: 7, error: "ENOSPC", span: "once" },
    expected: /: not ok: cannot be read: disk I\/O error \(.*266\)\n$/,
  },
  {
    name: "verify does not accept a backup that it could not read completely",
    trial: { occasion: "verify", call: "pread64", n: -1, error: "EIO", span: "once" },
    expected: /: not ok: cannot be read: /,
  },
  {
    name: "restore does not call a backup damaged when the disk cannot read it",
    trial: { occasion: "restore --until", call: "pread64", n: 3, error: "EIO", span: "lasting" },
    expected: /^eventstore-backup: \/.*\.db cannot be (opened|read)[:,]/,
  },
  {
    name: "a backup is not reported as done when its journal cannot be removed at the end",
    trial: { occasion: "next backup", call: "unlink", n: -1, error: "EIO", span: "lasting" },
    expected: /^eventstore-backup: \/.*\.db cannot be closed: disk I\/O error\n$/,
  },
  {
    name: "restore says why it failed when it cannot remove what it has begun, either",
    trial: { occasion: "restore", call: "unlink", n: 1, error: "EIO", span: "lasting" },
    expected: /^eventstore-backup: \/.*events\.db.*: .+\n$/,
  },
  {
    name: "init names the database that it cannot create",
    trial: { occasion: "init", call: "pwrite64", n: 1, error: "EIO", span: "lasting" },
    expected: /^eventstore-init: \/.*\/events\.db cannot be created: .+\n$/,
  },
];

await debianTest(
  ["strace"],
  "when a system call fails, the tools say what is true, and blame no file",
  () =>
    inDirectory(async (directory) => {
      await using tools = await ToolTrials.in(directory);
      for (const { name, trial, expected } of CASES) {
        const n = trial.n < 0 ? (await tools.count(trial.occasion)).get(trial.call)! + 1 + trial.n : trial.n;
        const { isTouched, ended } = await tools.meet({ ...trial, n });
        assert.ok(isTouched, `${name}: there is no ${trial.call} number ${n}`);
        assert.match(ended.stdout + ended.stderr, expected, name);
      }
    }),
);
