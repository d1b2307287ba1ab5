import { countEvents } from "../src/backup/count_events.ts";
import { importEvents } from "../src/backup/import_events.ts";
import { loadServerSettings } from "../src/config/load.ts";
import { initProgram } from "../src/config/programs.ts";
import { fillDatabase } from "../src/store/fill_database.ts";
import { initStore } from "../src/store/init_store.ts";
import { environment, ExitCode, print, printError, runProgram } from "./program.ts";

await runProgram(initProgram, (flags) => {
  const dataDir = flags.dataDir ?? dataDirOf(flags.config);
  if (flags.import === undefined) {
    const { path, storeId } = initStore(dataDir);
    print(`${path}\nstore ${storeId}\n`);
  } else {
    const { path, storeId, events } = initFrom(flags.import, dataDir);
    print(`${path}\nstore ${storeId}\n${countEvents(events)} imported\n`);
  }
  return Promise.resolve(ExitCode.ok);
});

function initFrom(path: string, dataDir: string): ReturnType<typeof initStore> & { readonly events: number } {
  const isStdin = path === "-";
  const name = isStdin ? "standard input" : path;
  using file = isStdin ? undefined : openExport(path);
  const input = file ?? Deno.stdin;
  let events = 0;
  const store = initStore(dataDir, (db) => {
    try {
      events = fillDatabase(db, importEvents((bytes) => input.readSync(bytes)));
    } catch (error) {
      throw new Error(`${name} was not imported: ${(error as Error).message}`);
    }
  });
  return { ...store, events };
}

function openExport(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path);
  } catch (error) {
    throw new Error(`${path} can't be read: ${(error as Error).message}`);
  }
}

function dataDirOf(configPath: string | undefined): string {
  const { settings, warnings } = loadServerSettings({ configPath, env: environment });
  for (const warning of warnings) printError(initProgram, `warning: ${warning}`);
  return settings.dataDir;
}
