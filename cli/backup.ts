import { backup } from "../src/backup/verbs/backup.ts";
import { exportEvents } from "../src/backup/verbs/export.ts";
import { exportStopped, type StoppedSource } from "../src/backup/verbs/export_stopped.ts";
import { keys } from "../src/backup/verbs/keys.ts";
import { keysOfStopped, stoppedDirectory } from "../src/backup/verbs/keys_stopped.ts";
import { list } from "../src/backup/verbs/list.ts";
import { restore } from "../src/backup/verbs/restore.ts";
import type { VerbContext, VerbEnd } from "../src/backup/verbs/verb_context.ts";
import { verify } from "../src/backup/verbs/verify.ts";
import { UsageError } from "../src/config/config_error.ts";
import {
  loadBackupDataDir,
  loadBackupSettings,
  loadStorePlace,
  loadStoreWithKeys,
  type PostgresSettings,
} from "../src/config/load.ts";
import { locationText } from "../src/store/postgres/connection/address.ts";
import type { CommandLine } from "./program.ts";
import { backupProgram } from "./programs.ts";
import {
  checkConfig,
  ExitCode,
  loadSettings,
  onFirstSignal,
  print,
  printAsync,
  printError,
  runProgram,
} from "./run_program.ts";

type KeysOptions = Extract<CommandLine<typeof backupProgram>, { readonly verb: "keys" }>["options"];

if (import.meta.main) await runProgram(backupProgram, run);

/** @returns the exit code */
export async function run(line: CommandLine<typeof backupProgram>): Promise<number> {
  if (line.verb === undefined && line.options.checkConfig) {
    return checkConfig(backupProgram, line.options.config, loadBackupSettings);
  }
  return await runVerb(line) ? ExitCode.ok : ExitCode.failure;
}

function runVerb({ verb, arguments: [storeId], options }: CommandLine<typeof backupProgram>): VerbEnd {
  if (verb === "keys" && (options.fromServer || options.from !== undefined)) return keysOfStore(options);
  if (verb === undefined || verb === "keys" || (verb === "verify" && options.againstSource)) {
    const { settings } = loadSettings(backupProgram, options.config, loadBackupSettings);
    const context = contextFor(settings.dataDir);
    if (verb === "keys") return keys(context, options, settings);
    if (verb === undefined) return backup(context, options, settings);
    return verify(context, { storeId, ...options }, settings);
  }
  if (verb === "export" && options.fromServer) return exportOfServer(storeId, options);
  const context = contextFor(loadSettings(backupProgram, options.config, loadBackupDataDir).settings);
  switch (verb) {
    case "verify":
      return verify(context, { storeId, ...options });
    case "list":
      return list(context, options);
    case "restore":
      return restore(context, { storeId, ...options });
    case "export":
      return exportEvents(context, { storeId, ...options });
  }
}

/** Exports the store of the server, wherever its settings put it. */
async function exportOfServer(
  storeId: string | undefined,
  options: Readonly<Record<"config" | "output" | "from", string | undefined>> & { readonly move: boolean },
): VerbEnd {
  if (storeId !== undefined || options.from !== undefined) {
    throw new UsageError(["only one of a store ID, --from and --from-server can be given"]);
  }
  const { settings } = loadSettings(backupProgram, options.config, loadStorePlace);
  const { dataDir: from, postgres } = settings;
  const context = contextFor(from);
  if (postgres === undefined) return await exportEvents(context, { ...options, storeId, from });
  return await exportStopped(context, await stoppedSchema(postgres), options);
}

/** Copies the keys of a store whose servers are stopped: a file, or wherever the settings of the server put it. */
async function keysOfStore({ from, fromServer, config, ...options }: KeysOptions): VerbEnd {
  if (from !== undefined) {
    if (fromServer) throw new UsageError(["only one of --from and --from-server can be given"]);
    const context = contextFor(loadSettings(backupProgram, config, loadBackupDataDir).settings);
    return await keysOfStopped(context, stoppedDirectory(from), options);
  }
  const { dataDir, postgres, masterKeys } = loadSettings(backupProgram, config, loadStoreWithKeys).settings;
  const store = postgres === undefined
    ? stoppedDirectory(dataDir, masterKeys)
    : await stoppedSchema(postgres, masterKeys);
  return await keysOfStopped(contextFor(dataDir), store, options);
}

async function stoppedSchema(
  postgres: PostgresSettings,
  masterKeys: readonly string[] = [],
): Promise<StoppedSource> {
  // Loaded on demand: most backups are of files.
  const { readStoppedStore } = await import("../src/store/postgres/connection/stopped_store.ts");
  return {
    name: locationText(postgres),
    read: (read, marksMoved) => readStoppedStore(postgres, read, marksMoved, masterKeys),
  };
}

function contextFor(dataDir: string): VerbContext {
  const stop = new AbortController();
  const stopping = Promise.withResolvers<never>();
  // A caller that does not await it checks the signal.
  stopping.promise.catch(() => {});
  onFirstSignal((signal) => {
    const reason = new Error(`stopped by ${signal}`);
    stop.abort(reason);
    stopping.reject(reason);
  });
  return {
    dataDir,
    print,
    printMuch: (text) => Promise.race([printAsync(text), stopping.promise]),
    printError: (line) => printError(backupProgram, line),
    stopped: stop.signal,
  };
}
