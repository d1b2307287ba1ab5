import { initFromExport } from "../src/backup/history/init_from_export.ts";
import { countEvents } from "../src/backup/reports/count_events.ts";
import { loadServerSettings } from "../src/config/load.ts";
import { initStore } from "../src/store/sqlite/data_directory/init_store.ts";
import type { CommandLine } from "./program.ts";
import { initProgram } from "./programs.ts";
import { ExitCode, loadSettings, print, runProgram } from "./run_program.ts";

await runProgram(initProgram, ({ options }) => {
  const dataDir = dataDirFrom(options);
  if (options.import === undefined) {
    const { path, storeId } = initStore(dataDir);
    print(`${path}\nstore ${storeId}\n`);
  } else {
    const { path, storeId, events } = initFromExport(options.import, dataDir);
    print(`${path}\nstore ${storeId}\n${countEvents(events)} imported\n`);
  }
  return Promise.resolve(ExitCode.ok);
});

/** A named file is read and checked even if its `dataDir` is not used. */
function dataDirFrom({ config, dataDir }: CommandLine<typeof initProgram>["options"]): string {
  if (dataDir !== undefined && config === undefined) return dataDir;
  const { settings } = loadSettings(initProgram, config, loadServerSettings);
  return dataDir ?? settings.dataDir;
}
