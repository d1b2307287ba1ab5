import { CHUNK_BYTES } from "../../api/chunk.ts";
import type { Database } from "../connection/database.ts";
import { linesOf, type MeasuredEvents, measureEvents } from "../tables/event_lines.ts";
import { scanEvents } from "../tables/events.ts";
import type { Range } from "../../core/ranges/direction.ts";
import type { SearchedChunk } from "../../core/chunks/chunk_lines.ts";
import { type ChunkWork, WorkDone } from "../../core/chunks/chunk_work.ts";
import { LineBuffer } from "../../core/chunks/line_buffer.ts";
import { linesMicroseconds, rowsMicroseconds } from "./step_cost.ts";

/** The number of events that are read as rows first, to learn how large events are. */
const EVENTS_FIRST = 4;

/** At most so many events are all read as rows: SQLite would need another statement to join them. */
const FEW_EVENTS_MAX = 16;

/** SQLite joins the remaining lines of the chunk. One statement joins at least this much. */
const BATCH_BYTES_MIN = 8 * 1024;

/** Reads the next part of a page of all events of a range forwards, whatever their times. */
export function readEvery(db: Database, range: Range, limit: number, work: ChunkWork): SearchedChunk {
  const done = new WorkDone(work);
  const buffer = new LineBuffer();
  // Sequences have no gaps, so the page ends here.
  const upTo = Math.min(range.upTo, range.after + limit);
  let events = 0;
  let last = range.after;

  const rowsMax = upTo - last <= FEW_EVENTS_MAX ? FEW_EVENTS_MAX : EVENTS_FIRST;
  const rows = scanEvents(db, { after: last, upTo }, rowsMax);
  for (const row of rows) {
    buffer.addEvent(row);
    events++;
    last = row.sequence;
    if (buffer.isFull) break;
  }
  if (rows.length < rowsMax && !buffer.isFull) last = upTo;
  let isEnough = done.isEnoughAfter(rowsMicroseconds(rows));
  while (last < upTo && !buffer.isFull && !isEnough) {
    const bytes = Math.max(CHUNK_BYTES - buffer.length, BATCH_BYTES_MIN);
    const batch = batchOf(db, { after: last, upTo }, bytes, buffer.length / events);
    for (const part of linesOf(db, batch)) {
      buffer.add(part);
      // Otherwise the garbage of a scan would be as large as the scan.
      if (typeof part !== "string") part.buffer.transfer(0);
    }
    events += batch.count;
    last = batch.upTo;
    isEnough = done.isEnoughAfter(linesMicroseconds(batch));
  }
  return { lines: buffer.take(), events, last, end: last < upTo ? false : { hasMore: last < range.upTo } };
}

/** Returns the first events of a range that make about this many bytes, at least one. */
function batchOf(
  db: Database,
  { after, upTo }: Range,
  bytesWanted: number,
  bytesEach: number,
): MeasuredEvents {
  let count = Math.max(1, Math.floor(bytesWanted / bytesEach));
  // A few more events are better than another chunk for them.
  if (upTo - after < 1.2 * count) count = upTo - after;
  while (true) {
    const batch = measureEvents(db, { after, upTo: after + count });
    // Events may suddenly be much larger.
    if (batch.bytes <= 1.25 * bytesWanted || count === 1) return batch;
    count = Math.max(1, Math.floor(count * bytesWanted / batch.bytes));
  }
}
