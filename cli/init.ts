import { importEvents } from "../src/backup/history/import_events.ts";
import { importPlainEvents } from "../src/backup/history/import_plain_events.ts";
import { initFromFile } from "../src/backup/history/init_from_file.ts";
import { countEvents } from "../src/backup/reports/count_events.ts";
import { UsageError } from "../src/config/config_error.ts";
import { loadServerSettings } from "../src/config/load.ts";
import { addViews } from "../src/store/sqlite/data_directory/add_views.ts";
import { initStore } from "../src/store/sqlite/data_directory/init_store.ts";
import { nowMicros } from "../src/turns/clock.ts";
import { loadForThisMachine } from "./this_machine.ts";
import type { CommandLine } from "./program.ts";
import { initProgram } from "./programs.ts";
import { checkConfig, ExitCode, loadSettings, print, runProgram } from "./run_program.ts";

type InitOptions = CommandLine<typeof initProgram>["options"];

await runProgram(initProgram, ({ options }) => {
  if (options.checkConfig) {
    return Promise.resolve(checkConfig(initProgram, options.config, loadForThisMachine));
  }
  refuseSeveralTasks(options);
  print(init(options, dataDirFrom(options)));
  return Promise.resolve(ExitCode.ok);
});

/** @returns what to print */
function init(
  { import: exported, importPlain: plain, addViews: isAddingViews }: InitOptions,
  dataDir: string,
): string {
  if (isAddingViews) return `${addViews(dataDir)}: the views are there\n`;
  if (exported !== undefined) return made(initFromFile(exported, dataDir, importEvents));
  if (plain === undefined) return made(initStore(dataDir));
  const startedAt = nowMicros();
  return made(initFromFile(plain, dataDir, (read) => importPlainEvents(read, startedAt)));
}

function made({ path, storeId, events }: { path: string; storeId: string; events?: number }): string {
  return `${path}\nstore ${storeId}\n${events === undefined ? "" : `${countEvents(events)} imported\n`}`;
}

function refuseSeveralTasks({ import: exported, importPlain, addViews }: InitOptions): void {
  const tasks = [exported !== undefined, importPlain !== undefined, addViews].filter((isGiven) => isGiven);
  if (tasks.length > 1) {
    throw new UsageError(["only one of --import, --import-plain and --add-views can be given"]);
  }
}

/** A named file is read and checked even if its `dataDir` is not used. */
function dataDirFrom({ config, dataDir }: InitOptions): string {
  if (dataDir !== undefined && config === undefined) return dataDir;
  const { settings } = loadSettings(initProgram, config, loadServerSettings);
  return dataDir ?? settings.dataDir;
}
