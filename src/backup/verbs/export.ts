import { fromRoot } from "../../files/paths.ts";
import { UsageError } from "../../config/config_error.ts";
import { openForChecking } from "../../store/sqlite/connection/connection.ts";
import { type Database, sqlCodeOf } from "../../store/sqlite/connection/database.ts";
import { checkDatabaseFile, storePaths } from "../../store/sqlite/data_directory/database_file.ts";
import { markMoved } from "../../store/sqlite/data_directory/moved_mark.ts";
import { readState } from "../../store/sqlite/tables/identity.ts";
import { allProjections } from "../../store/sqlite/tables/projections.ts";
import { CopiedCheck } from "../history/copied_check.ts";
import { type StoreContent, writeContent } from "../history/export_content.ts";
import { naming } from "../../files/naming.ts";
import { newExportFile } from "../history/export_file.ts";
import { SignalGate } from "../history/signal_gate.ts";
import { Damage, walkHistory } from "../history/walk_history.ts";
import { backupPath, chooseBackup } from "../directory/backup_files.ts";
import { lockBackups } from "../directory/backup_lock.ts";
import { lockStopped } from "../directory/stopped_directory.ts";
import { countEvents } from "../reports/count_events.ts";
import type { VerbContext, VerbEnd } from "./verb_context.ts";

interface ExportOptions extends Readonly<Record<"storeId" | "output" | "from", string | undefined>> {
  readonly move: boolean;
}

/** Writes the events of a backup, or of a stopped server, as JSON lines. */
export async function exportEvents(
  context: VerbContext,
  { storeId, output, from, move }: ExportOptions,
): VerbEnd {
  const { dataDir } = context;
  if (move && (from === undefined || output === undefined)) {
    throw new UsageError(["--move needs --from and --output"]);
  }
  if (from !== undefined && storeId !== undefined) {
    throw new UsageError(["--from and a store ID cannot be given together"]);
  }
  const path = from === undefined
    ? backupPath(dataDir, chooseBackup(dataDir, storeId))
    : storePaths(from).database;
  using _lock = from === undefined ? lockBackups(dataDir) : lockStopped(from);
  checkDatabaseFile(path);
  try {
    using db = openForChecking(path);
    // A server appends events and stores no tree with them.
    const copied = from === undefined ? new CopiedCheck(db) : undefined;
    const gate = new SignalGate(context.stopped);
    const content = contentOf(db, gate);
    if (output === undefined) {
      await writeContent(content, (text) => context.printMuch(text), { copied, gate });
      return true;
    }
    using file = newExportFile(output);
    await writeContent(content, (text) => naming(output, () => file.write(text)), { copied, gate, move });
    // Before the file has its name: there is never a file to import without the mark.
    if (move) markMoved(from!, content.storeId, fromRoot(output));
    naming(output, () => file.keep());
    context.print(`${output}: ${countEvents(content.head)} of ${path}\n`);
    return true;
  } catch (error) {
    if (error instanceof Damage) throw new Error(`${path} is damaged: ${error.message}`);
    if (sqlCodeOf(error) !== undefined) {
      throw new Error(`${path} cannot be read: ${(error as Error).message}`);
    }
    throw error;
  }
}

function contentOf(db: Database, gate: SignalGate): StoreContent {
  const state = readState(db);
  const events = walkHistory(db, { after: 0, upTo: state.head }, gate);
  return { ...state, events, projections: allProjections(db) };
}
