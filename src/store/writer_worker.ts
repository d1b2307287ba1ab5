import { openForWriting } from "./connection.ts";
import { createDatabase } from "./create_database.ts";
import type { Database } from "./database.ts";
import { checkDatabaseFile } from "./database_file.ts";
import { readPausedSince } from "./identity.ts";
import type { WriterCalls } from "./messages.ts";
import { answerCalls, reportBroken } from "./worker_port.ts";
import { transferLines } from "./read_chunk.ts";
import { Writer } from "./writer.ts";

/** Pages in the WAL after which they are moved into the database file, as far as readers allow. */
const CHECKPOINT_PAGES = 4000;

/** Pages (160 MB) after which the writer waits for the readers, which are quick, so that the WAL stays bounded. */
const WAL_PAGES_MAX = 40_000;
const READERS_WAIT_MILLISECONDS = 1000;

/** Quiet time after which the WAL is emptied, so that a store at rest is one small set of files. */
const IDLE_MILLISECONDS = 2000;

let db: Database | undefined;
let writer: Writer | undefined;
let idleTimer: ReturnType<typeof setTimeout> | undefined;

function opened(): Writer {
  if (writer === undefined) throw new Error("the writer is not open");
  return writer;
}

function checkpointWhenDue(writer: Writer): void {
  clearTimeout(idleTimer);
  const { total, pending } = writer.walPages;
  if (total >= WAL_PAGES_MAX) writer.checkpoint("RESTART", READERS_WAIT_MILLISECONDS);
  else if (pending >= CHECKPOINT_PAGES) writer.checkpoint("PASSIVE", 0);
  if (total > 0) idleTimer = setTimeout(() => checkpointAtRest(writer), IDLE_MILLISECONDS);
}

function checkpointAtRest(writer: Writer): void {
  // The end of the open turn sets the timer again.
  if (writer.inTurn) return;
  writer.checkpoint("TRUNCATE", 0);
  if (writer.broken !== undefined) return reportBroken(writer.broken);
  // A reader was in the way.
  if (writer.walPages.total > 0) idleTimer = setTimeout(() => checkpointAtRest(writer), IDLE_MILLISECONDS);
}

function afterTurn(): void {
  if (writer === undefined) return;
  if (writer.broken === undefined && !writer.inTurn) checkpointWhenDue(writer);
  if (writer.broken !== undefined) reportBroken(writer.broken);
}

answerCalls<WriterCalls>({
  open(path) {
    const created = !checkDatabaseFile(path);
    if (created) createDatabase(path);
    db = openForWriting(path);
    writer = new Writer(db);
    return { ...writer.state, created, pausedSinceMicros: readPausedSince(db) };
  },
  group(writes) {
    const verdicts = opened().group(writes);
    return { verdicts, storeId: opened().state.storeId };
  },
  deleteProjections: (type) => opened().deleteProjections(type),
  reset() {
    const failure = opened().reset();
    return { failure, ...opened().state };
  },
  setPaused(sinceMicros) {
    const failure = opened().setPaused(sinceMicros);
    return { failure, ...opened().state };
  },
  optimize: () => opened().optimize(),
  begin() {
    const failure = opened().begin();
    return { failure, ...opened().state };
  },
  writeInside: (write) => opened().writeInside(write),
  readChunkInside: (request) => opened().readChunkInside(request),
  readProjectionInside: (key) => opened().readProjectionInside(key),
  commit: () => opened().commit(),
  rollback: () => opened().rollback(),
  close() {
    clearTimeout(idleTimer);
    writer?.rollback();
    if (writer?.broken === undefined) writer?.checkpoint("TRUNCATE", READERS_WAIT_MILLISECONDS);
    writer = undefined;
    db?.close();
  },
}, { transfer: transferLines, afterAnswer: afterTurn });
