import { HashChain } from "../../src/backup/history/hash_chain.ts";
import { LineTree } from "../../src/backup/history/line_tree.ts";
import type { NewEvent } from "../../src/model/event.ts";
import { openForWriting } from "../../src/store/sqlite/connection/connection.ts";
import { createDatabase } from "../../src/store/sqlite/data_directory/create_database.ts";
import type { Database } from "../../src/store/sqlite/connection/database.ts";
import { changeAdditions } from "../../src/store/sqlite/tables/additions.ts";
import { appendEvents, scanEvents } from "../../src/store/sqlite/tables/events.ts";
import { createOrigin } from "../../src/store/sqlite/tables/origin.ts";
import { writeBlocks } from "../../src/store/sqlite/tables/tree.ts";
import { eventLine } from "../../src/wire/event.ts";
import { newEvent, prepared, tag } from "../store/made_writes.ts";
import { BackupDirectories } from "./run_backup.ts";

const START_MICROS = 1_700_000_000_000_000;

/** Directories whose source does not run, for commands that need no source. */
export function placeWithoutSource(): BackupDirectories {
  return new BackupDirectories({ transport: "unix", path: "/nowhere.sock" });
}

/** Events of two types. Each has a tag of its own, and all share another one. */
export function sampleEvents(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, i) => ({
    ...newEvent(`type ${i % 2}`, [tag("n", String(i + 1)), tag("all", "x")], `payload ${i + 1}.`),
    metadata: [tag("m", `\0${i}`)],
  }));
}

/** The time of a sample event: one second after the event before it. */
function timeOf(sequence: number): number {
  return START_MICROS + sequence * 1_000_000;
}

/** Makes the file of a backup as a run of the program leaves it. */
export function makeBackup(
  place: BackupDirectories,
  events: readonly NewEvent[],
  storeId: string = crypto.randomUUID(),
): string {
  Deno.mkdirSync(place.dataDir, { recursive: true, mode: 0o700 });
  const lines = new LineTree();
  const stored = events.map((event, i) => prepared(event, timeOf(i + 1)));
  for (const [i, { timeMicros, body }] of stored.entries()) {
    lines.add(eventLine({ sequence: i + 1, timeMicros, body }));
  }
  createDatabase(place.file(storeId), (db) => {
    db.run("BEGIN");
    appendEvents(db, 0, stored);
    createOrigin(db, { storeId, source: "http://source" });
    writeBlocks(db, lines.tree.blocksSince(0));
    db.run("COMMIT");
  });
  change(place.file(storeId), (db) => db.all("PRAGMA journal_mode = DELETE"));
  return storeId;
}

/** Gives a backup the form that earlier versions of the program made: a hash chain, and no tree. */
export function makeChained(file: string): void {
  change(file, (db) => {
    const chain = new HashChain();
    for (const row of scanEvents(db, { after: 0, upTo: Number.MAX_SAFE_INTEGER }, 1_000_000)) {
      chain.add(eventLine(row));
    }
    db.run("BEGIN");
    db.script("DROP TABLE tree_block");
    changeAdditions(db, { tree: false });
    db.run("UPDATE origin SET chain = ?", chain.value);
    db.run("COMMIT");
  });
}

/** Changes a database without the program. */
export function change(file: string, work: (db: Database) => void): void {
  const db = openForWriting(file);
  try {
    work(db);
    db.all("PRAGMA journal_mode = DELETE");
  } finally {
    db.close();
  }
}

/** Replaces `text` in a file, which must hold it exactly once. */
export function overwrite(file: string, text: string, replacement: string): void {
  const bytes = Deno.readFileSync(file);
  const latin1 = new TextDecoder("latin1").decode(bytes);
  const at = latin1.indexOf(text);
  if (at < 0 || latin1.includes(text, at + 1)) throw new Error(`${text} is not once in ${file}`);
  bytes.set(new TextEncoder().encode(replacement), at);
  Deno.writeFileSync(file, bytes);
}
