import { backup } from "../src/backup/backup.ts";
import { exportEvents } from "../src/backup/export.ts";
import { list } from "../src/backup/list.ts";
import { restore } from "../src/backup/restore.ts";
import type { VerbCall, VerbEnd } from "../src/backup/verb_call.ts";
import { verify } from "../src/backup/verify.ts";
import type { Flags } from "../src/config/flags.ts";
import { loadBackupDataDir, loadBackupSettings } from "../src/config/load.ts";
import { backupProgram, type VerbName } from "../src/config/programs.ts";
import { environment, ExitCode, print, printError, runProgram } from "./program.ts";

const verbs: Readonly<Record<VerbName, (call: VerbCall) => VerbEnd>> = {
  verify,
  list,
  restore,
  export: exportEvents,
};

await runProgram(backupProgram, async (flags) => await run(flags) ? ExitCode.ok : ExitCode.failure);

function run(flags: Flags): VerbEnd {
  const from = { configPath: flags.config, env: environment };
  if (flags.verb === undefined || flags.againstSource) {
    const { settings, warnings } = loadBackupSettings(from);
    const call = callOf(flags, settings.dataDir, warnings);
    return flags.verb === undefined ? backup(call, settings) : verify(call, settings);
  }
  const { settings: dataDir, warnings } = loadBackupDataDir(from);
  return verbs[flags.verb](callOf(flags, dataDir, warnings));
}

function callOf(flags: Flags, dataDir: string, warnings: readonly string[]): VerbCall {
  for (const warning of warnings) printError(backupProgram, `warning: ${warning}`);
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(signal, () => {
      if (stop.signal.aborted) Deno.exit(ExitCode.failure);
      stop.abort(new Error(`stopped by ${signal}`));
    });
  }
  return {
    flags,
    dataDir,
    print,
    printError: (line) => printError(backupProgram, line),
    stopped: stop.signal,
  };
}
