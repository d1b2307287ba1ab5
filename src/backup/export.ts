import { ConfigError } from "../config/config_error.ts";
import { openForChecking } from "../store/connection.ts";
import { lockDataDirectory } from "../store/data_directory.ts";
import type { Database } from "../store/database.ts";
import { checkDatabaseFile, storePaths } from "../store/database_file.ts";
import { readState } from "../store/identity.ts";
import { readOrigin } from "../store/origin.ts";
import { lockBackups } from "./backup_lock.ts";
import { chooseTarget } from "./choose_targets.ts";
import { countEvents } from "./count_events.ts";
import { ExportFile } from "./export_file.ts";
import { exportTrailer } from "./export_trailer.ts";
import { HashChain, isSameChain } from "./hash_chain.ts";
import { SignalGate } from "./signal_gate.ts";
import { targetPath } from "./targets.ts";
import type { VerbCall, VerbEnd } from "./verb_call.ts";
import { Damage, walkHistory } from "./walk_history.ts";

/** Writes the events of a backup, or of a stopped server, as JSON lines. */
export async function exportEvents(call: VerbCall): VerbEnd {
  const { argument, from, output } = call.flags;
  if (from !== undefined && argument !== undefined) {
    throw new ConfigError(["--from and a store ID contradict each other"]);
  }
  const path = from === undefined ? targetPath(call.dataDir, chooseTarget(call)) : storePaths(from).database;
  if (from !== undefined && !checkDatabaseFile(path)) throw new Error(`there is no database ${path}`);
  using _lock = from === undefined ? lockBackups(call.dataDir) : lockDataDirectory(from);
  checkDatabaseFile(path);
  const db = openForChecking(path);
  try {
    // A server appends without keeping a chain.
    const chain = from === undefined ? readOrigin(db)?.chain : undefined;
    if (output === undefined) {
      await writeEvents(db, chain, (text) => call.print(text), new SignalGate(call.stopped));
      return true;
    }
    using file = new ExportFile(output);
    const events = await writeEvents(db, chain, (text) => file.write(text), new SignalGate(call.stopped));
    file.keep();
    call.print(`${output}: ${countEvents(events)} of ${path}\n`);
    return true;
  } catch (error) {
    if (error instanceof Damage) throw new Error(`${path} is damaged: ${error.message}`);
    throw error;
  } finally {
    db.close();
  }
}

/**
 * Writes every event and then the trailer, which says that nothing is missing before it.
 * @throws Damage, without having written the trailer, when the events are not those that were stored
 */
async function writeEvents(
  db: Database,
  expectedChain: Uint8Array | undefined,
  write: (text: string) => void,
  gate: SignalGate,
): Promise<number> {
  const { head } = readState(db);
  const chain = new HashChain();
  for await (const events of walkHistory(db, { after: 0, head }, gate)) {
    for (const { line } of events) chain.add(line);
    write(events.map(({ line }) => line).join(""));
  }
  if (expectedChain !== undefined && !isSameChain(chain.value, expectedChain)) {
    throw new Damage("its hash chain differs, so at least one event was changed");
  }
  write(exportTrailer(head, chain));
  return head;
}
