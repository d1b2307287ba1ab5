import { importEvents } from "../src/backup/history/import_events.ts";
import { importPlainEvents } from "../src/backup/history/import_plain_events.ts";
import { initFromFile } from "../src/backup/history/init_from_file.ts";
import { countEvents } from "../src/backup/reports/count_events.ts";
import { UsageError } from "../src/config/config_error.ts";
import { loadServerSettings, type PostgresSettings } from "../src/config/load.ts";
import { initPostgresStore } from "../src/store/postgres/connection/create_store.ts";
import { placeText } from "../src/store/postgres/connection/place.ts";
import { addViews } from "../src/store/sqlite/data_directory/add_views.ts";
import { initStore } from "../src/store/sqlite/data_directory/init_store.ts";
import { nowMicros } from "../src/turns/clock.ts";
import { loadForThisMachine } from "./this_machine.ts";
import type { CommandLine } from "./program.ts";
import { initProgram } from "./programs.ts";
import { checkConfig, ExitCode, loadSettings, print, runProgram } from "./run_program.ts";

type InitOptions = CommandLine<typeof initProgram>["options"];

await runProgram(initProgram, async ({ options }) => {
  if (options.checkConfig) return checkConfig(initProgram, options.config, loadForThisMachine);
  refuseSeveralTasks(options);
  const { dataDir, postgres } = placeFrom(options);
  print(postgres === undefined ? init(options, dataDir) : await initPostgres(options, postgres));
  return ExitCode.ok;
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

async function initPostgres(options: InitOptions, place: PostgresSettings): Promise<string> {
  const [flag] = tasksIn(options);
  if (flag !== undefined) throw new UsageError([`${flag} works with storage sqlite only`]);
  return made({ path: placeText(place), storeId: await initPostgresStore(place) });
}

function made({ path, storeId, events }: { path: string; storeId: string; events?: number }): string {
  return `${path}\nstore ${storeId}\n${events === undefined ? "" : `${countEvents(events)} imported\n`}`;
}

function refuseSeveralTasks(options: InitOptions): void {
  if (tasksIn(options).length > 1) {
    throw new UsageError(["only one of --import, --import-plain and --add-views can be given"]);
  }
}

/** The flags that ask for more than an empty store. */
function tasksIn({ import: exported, importPlain, addViews }: InitOptions): string[] {
  return [
    ...exported === undefined ? [] : ["--import"],
    ...importPlain === undefined ? [] : ["--import-plain"],
    ...addViews ? ["--add-views"] : [],
  ];
}

interface InitPlace {
  readonly dataDir: string;
  readonly postgres?: PostgresSettings | undefined;
}

/** A named file is read and checked even if its `dataDir` is not used. A directory that is named holds a file. */
function placeFrom({ config, dataDir }: InitOptions): InitPlace {
  if (dataDir !== undefined && config === undefined) return { dataDir };
  const { settings } = loadSettings(initProgram, config, loadServerSettings);
  return dataDir === undefined ? settings : { dataDir };
}
