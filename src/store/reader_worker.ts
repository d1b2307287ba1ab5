import { openForReading } from "./connection.ts";
import type { Database } from "./database.ts";
import { readState } from "./identity.ts";
import type { ReaderCalls } from "./messages.ts";
import { readProjection } from "./projections.ts";
import { readChunk, transferLines } from "./read_chunk.ts";
import { answerCalls } from "./worker_port.ts";

let db: Database | undefined;

function opened(): Database {
  if (db === undefined) throw new Error("the reader is not open");
  return db;
}

answerCalls<ReaderCalls>({
  open(path) {
    db = openForReading(path);
  },
  ping() {
    readState(opened());
  },
  events: (request) => readChunk(opened(), request),
  projection(key) {
    const db = opened();
    db.run("BEGIN");
    try {
      return { storeId: readState(db).storeId, projection: readProjection(db, key) };
    } finally {
      if (db.inTransaction) db.run("COMMIT");
    }
  },
  close() {
    db?.close();
    db = undefined;
  },
}, { transfer: transferLines });
