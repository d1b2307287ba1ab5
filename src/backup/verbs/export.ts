import { isThere, rejectIrregular } from "../../files/is_there.ts";
import { NewFile } from "../../files/new_file.ts";
import { fromRoot } from "../../files/paths.ts";
import { UsageError } from "../../config/config_error.ts";
import { openForChecking } from "../../store/sqlite/connection/connection.ts";
import { lockDataDirectory } from "../../store/sqlite/data_directory/data_directory.ts";
import { type Database, sqlCodeOf } from "../../store/sqlite/connection/database.ts";
import { checkDatabaseFile, storePaths } from "../../store/sqlite/data_directory/database_file.ts";
import { markMoved } from "../../store/sqlite/data_directory/moved_mark.ts";
import { readState } from "../../store/sqlite/tables/identity.ts";
import { readOrigin } from "../../store/sqlite/tables/origin.ts";
import { allProjections } from "../../store/sqlite/tables/projections.ts";
import { exportTrailer, type MovedStore } from "../history/export_trailer.ts";
import { HashChain, isSameChain } from "../history/hash_chain.ts";
import { projectionLine } from "../history/projection_lines.ts";
import { SignalGate } from "../history/signal_gate.ts";
import { Damage, walkHistory } from "../history/walk_history.ts";
import { backupPath, chooseBackup } from "../directory/backup_files.ts";
import { lockBackups } from "../directory/backup_lock.ts";
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
  // Without a database, the lock would be created in an otherwise empty directory. Until it is held, a server may be
  // writing.
  if (from !== undefined && !checkDatabaseFile(path, { mayBeInUse: true })) {
    throw new Error(`there is no database at ${path}`);
  }
  using _lock = from === undefined ? lockBackups(dataDir) : lockDataDirectory(from);
  checkDatabaseFile(path);
  try {
    using db = openForChecking(path);
    // A server appends events and stores no chain.
    const chain = from === undefined ? readOrigin(db)?.chain : undefined;
    if (output === undefined) {
      await writeEvents(db, chain, (text) => context.printMuch(text), {
        gate: new SignalGate(context.stopped),
      });
      return true;
    }
    using file = newExportFile(output);
    const write = (text: string): void => naming(output, () => file.write(text));
    const { head, storeId } = readState(db);
    await writeEvents(db, chain, write, { gate: new SignalGate(context.stopped), move });
    // Before the file has its name: there is never a file to import without the mark.
    if (move) markMoved(from!, storeId, fromRoot(output));
    naming(output, () => file.keep());
    context.print(`${output}: ${countEvents(head)} of ${path}\n`);
    return true;
  } catch (error) {
    if (error instanceof Damage) throw new Error(`${path} is damaged: ${error.message}`);
    if (sqlCodeOf(error) !== undefined) {
      throw new Error(`${path} cannot be read: ${(error as Error).message}`);
    }
    throw error;
  }
}

/**
 * Writes every event, the projections if the store moves, and then the trailer, which says that nothing is missing
 * before it.
 * @throws Damage, without having written the trailer, when the events are not those that were stored
 */
async function writeEvents(
  db: Database,
  expectedChain: Uint8Array | undefined,
  write: (text: string) => void | Promise<void>,
  { gate, move = false }: { readonly gate: SignalGate; readonly move?: boolean },
): Promise<void> {
  const { head, storeId } = readState(db);
  const chain = new HashChain();
  for await (const events of walkHistory(db, { after: 0, upTo: head }, gate)) {
    for (const { line } of events) chain.add(line);
    await write(events.map(({ line }) => line).join(""));
  }
  if (expectedChain !== undefined && !isSameChain(chain.value, expectedChain)) {
    throw new Damage("its hash chain differs, so at least one event was changed");
  }
  const moved = move ? { storeId, ...await writeProjections(db, write, gate) } : undefined;
  await write(exportTrailer(head, chain, moved));
}

/** @returns how many there were, and the hash chain over their lines */
async function writeProjections(
  db: Database,
  write: (text: string) => void | Promise<void>,
  gate: SignalGate,
): Promise<Omit<MovedStore, "storeId">> {
  const chain = new HashChain();
  let projections = 0;
  for (const projection of allProjections(db)) {
    const line = projectionLine(projection);
    chain.add(line);
    projections++;
    await write(line);
    await gate.pass();
  }
  return { projections, chain };
}

/** @throws an error that names the file that could not be written */
function naming(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new Error(`${path} cannot be written: ${(error as Error).message}`);
  }
}

/** The first bytes of every SQLite database. */
const SQLITE_START = "SQLite format 3\0";

/**
 * Opens the file of an export. An existing file is replaced only when the export is complete; a database is never
 * replaced.
 */
function newExportFile(path: string): NewFile {
  rejectIrregular(path);
  if (isDatabase(path)) throw new Error(`${path} is a database; it will not be replaced`);
  return new NewFile(path, 0o600);
}

function isDatabase(path: string): boolean {
  if (!isThere(path)) return false;
  using file = Deno.openSync(path, { read: true });
  const start = new Uint8Array(SQLITE_START.length);
  return new TextDecoder().decode(start.subarray(0, file.readSync(start) ?? 0)) === SQLITE_START;
}
