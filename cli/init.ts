import { importEvents, importMovedStore, importPlainEvents } from "../src/backup/history/import_events.ts";
import {
  type Import,
  importBatches,
  ImportedFile,
  initFromFile,
} from "../src/backup/history/imported_file.ts";
import { countEvents } from "../src/backup/reports/count_events.ts";
import {
  assertKeysChosen,
  keyCheckOf,
  rejectBothChoices,
  storedSubjects,
  subjectsOfImport,
  subjectsText,
} from "../src/backup/subjects/restored_subjects.ts";
import { UsageError } from "../src/config/config_error.ts";
import { loadStorePlace, type PostgresSettings, type StorePlace } from "../src/config/load.ts";
import { tokenLines } from "../src/config/print.ts";
import { addSubjectsTo } from "../src/store/postgres/connection/add_subjects.ts";
import { initPostgresStore } from "../src/store/postgres/connection/create_store.ts";
import { locationText } from "../src/store/postgres/connection/address.ts";
import { addViews } from "../src/store/sqlite/data_directory/add_views.ts";
import { initStore } from "../src/store/sqlite/data_directory/create_database.ts";
import type { ParsedLine } from "../src/wire/event_line.ts";
import { nowMicros } from "../src/time/clock.ts";
import { faultsOfRequest, newToken, settingOf, type TokenRequest } from "./new_token.ts";
import { loadForThisMachine } from "./this_machine.ts";
import type { CommandLine } from "./program.ts";
import { initProgram } from "./programs.ts";
import { checkConfig, ExitCode, loadSettings, print, runProgram } from "./run_program.ts";

type InitOptions = Extract<CommandLine<typeof initProgram>, { readonly verb: undefined }>["options"];

if (import.meta.main) await runProgram(initProgram, run);

/** @returns the exit code */
export async function run(line: CommandLine<typeof initProgram>): Promise<number> {
  if (line.verb === "token") {
    print(tokenText({ name: line.arguments[0]!, ...line.options }));
    return ExitCode.ok;
  }
  const { options } = line;
  if (options.checkConfig) return checkConfig(initProgram, options.config, loadForThisMachine);
  rejectSeveralTasks(options);
  const { dataDir, postgres, subjects } = targetFrom(options);
  print(
    postgres === undefined
      ? init(options, dataDir, subjects)
      : await initPostgres(options, postgres, subjects),
  );
  return ExitCode.ok;
}

/** @throws UsageError */
function tokenText(request: TokenRequest): string {
  const faults = faultsOfRequest(request);
  if (faults.length > 0) throw new UsageError(faults);
  const token = newToken();
  return `The token, which is shown only here:\n\n${token}\n\n` +
    "For config.toml or the file of tokensFile, with enableAuth = true. SIGHUP makes a server read them again:\n\n" +
    `${tokenLines(settingOf(token, request)).join("\n").trim()}\n`;
}

/** @returns the text to print */
function init(options: InitOptions, dataDir: string, subjects: readonly string[]): string {
  if (options.addSubjects) throw new UsageError(["--add-subjects works with storage postgres only"]);
  if (options.addViews) return `${addViews(dataDir)}: the views are there\n`;
  const imported = importIn(options);
  if (imported === undefined) return made(initStore(dataDir));
  const created = initFromFile(dataDir, imported, subjects);
  return made({ ...created, subjects, keysText: imported.keysText() });
}

async function initPostgres(
  options: InitOptions,
  location: PostgresSettings,
  subjects: readonly string[],
): Promise<string> {
  if (options.addViews) throw new UsageError(["--add-views works with storage sqlite only"]);
  const path = locationText(location);
  if (options.addSubjects) {
    await addSubjectsTo(location);
    return `${path}: the tables of subjects are there\n`;
  }
  const imported = importIn(options);
  if (imported === undefined) return made({ path, storeId: (await initPostgresStore(location)).storeId });
  using file = new ImportedFile(imported.path);
  const batches = importBatches(file, imported);
  const storeId = (): string => imported.keptId() ?? crypto.randomUUID();
  const created = await initPostgresStore(location, batches, subjects, storeId);
  return made({ path, ...created, subjects, keysText: imported.keysText() });
}

/** Returns the file to import, and how to read it. */
function importIn(options: InitOptions): Import | undefined {
  const { import: exported, importPlain: plain, keepStoreId, keys, withoutKeys, forgotten } = options;
  const keyOptions = { keys, withoutKeys, forgotten };
  if (exported === undefined) {
    if (keepStoreId) throw new UsageError(["--keep-store-id needs --import"]);
    if (keys !== undefined || withoutKeys || forgotten.length > 0) {
      throw new UsageError(["--keys, --without-keys and --forgotten need --import"]);
    }
    if (plain === undefined) return undefined;
    const noKeys = { subjects: [], keysText: () => "" };
    return { ...noKeys, path: plain, format: importPlainEvents(nowMicros()), keptId: () => undefined };
  }
  rejectBothChoices(keyOptions);
  const found = subjectsOfImport(keyOptions);
  const check = keyCheckOf(found);
  const onSealed = (line: ParsedLine): void => {
    assertKeysChosen("the payload is encrypted", keyOptions);
    check.add(line);
  };
  const rest = {
    path: exported,
    subjects: storedSubjects(found),
    keysText: () => subjectsText(found, check),
  };
  if (!keepStoreId) return { ...rest, format: importEvents(onSealed), keptId: () => undefined };
  let kept: string | undefined;
  const format = importMovedStore(onSealed, (storeId) => kept = storeId);
  return { ...rest, format, keptId: () => kept };
}

interface Made {
  readonly path: string;
  readonly storeId: string;
  readonly events?: number;
  readonly subjects?: readonly string[];
  readonly keysText?: string;
}

/** @returns the text to print */
function made({ path, storeId, events, subjects = [], keysText = "" }: Made): string {
  const lines = [
    path,
    `store ${storeId}`,
    events === undefined ? "" : `${countEvents(events)} imported`,
    subjects.length === 0 ? "" : `payloads of ${subjects.join(", ")} are encrypted`,
    keysText,
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}

function rejectSeveralTasks({ import: exported, importPlain, addViews, addSubjects }: InitOptions): void {
  if ([exported !== undefined, importPlain !== undefined, addViews, addSubjects].filter(Boolean).length > 1) {
    throw new UsageError([
      "only one of --import, --import-plain, --add-views and --add-subjects can be given",
    ]);
  }
}

/**
 * Returns where to create the store. A named configuration file is read and checked even if its `dataDir` is not used.
 * If a directory is given, the store is a file in it. The subjects matter for an import alone, which always reads them.
 */
function targetFrom({ config, dataDir, import: exported, importPlain }: InitOptions): StorePlace {
  if (dataDir !== undefined && config === undefined && (exported ?? importPlain) === undefined) {
    return { dataDir, postgres: undefined, subjects: [] };
  }
  const { settings } = loadSettings(initProgram, config, loadStorePlace);
  return dataDir === undefined ? settings : { ...settings, dataDir, postgres: undefined };
}
