import type { BlockTree } from "../../model/block_tree.ts";
import type { BackupStore } from "../../store/sqlite/backup/backup_store.ts";
import { type PreparedEvent, prepareEvent } from "../../store/core/prepare_event.ts";
import { decodeEventLine, type ParsedLine } from "../../wire/event_line.ts";
import { LineTree } from "../history/line_tree.ts";
import type { Source } from "./source.ts";

/**
 * Copies every event after the backup's last one, each page in its own transaction. While one part is being written,
 * the next one is read and prepared.
 * @param storeId the store ID that every page must carry
 * @param onPage called from time to time with the sequence of the last event that was handed to the store
 * @returns the tree over all events of the backup
 */
export async function copyEvents(
  source: Source,
  storeId: string,
  store: BackupStore,
  onPage: (sequence: number) => void | Promise<void>,
): Promise<BlockTree> {
  const lineTree = new LineTree(store.opened.tree);
  let last = store.opened.head;
  for (let hasMore: boolean | undefined = true; hasMore;) {
    const before = last;
    for await (const part of source.page(before)) {
      if (part.storeId !== storeId) throw changedStore(source, storeId, part.storeId);
      const events = part.lines.map((line) => prepared(source, line, ++last, lineTree));
      if (events.length > 0) await store.append(events);
      hasMore = part.hasMore;
    }
    if (last > before) {
      await source.assertStillWithoutSubjects();
      await store.commit(lineTree.tree.blocksSince(before));
    }
    await onPage(last);
  }
  await store.settled();
  return lineTree.tree;
}

/** Prepares an event line for the store. It must be exactly what an event store writes. */
function prepared(source: Source, line: Uint8Array, expected: number, lineTree: LineTree): PreparedEvent {
  const { sequence, timeMicros, body, event } = parsed(source, line, expected);
  if (sequence !== expected) {
    throw new Error(`the source ${source.name}: expected sequence ${expected}, but got ${sequence}`);
  }
  lineTree.add(line);
  return prepareEvent(event, timeMicros, body);
}

function parsed(source: Source, line: Uint8Array, expected: number): ParsedLine {
  try {
    return decodeEventLine(line.subarray(0, -1));
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`the source ${source.name}: the line of event ${expected} is invalid: ${message}`);
  }
}

/** @throws Error unless the source still has the last event of the backup */
export async function checkLastEvent(source: Source, storeId: string, store: BackupStore): Promise<void> {
  const { head, lastLine } = store.opened;
  if (lastLine === undefined) return;
  let found: string | undefined;
  for await (const part of source.page(head - 1, 1)) {
    if (part.storeId !== storeId) throw changedStore(source, storeId, part.storeId);
    for (const line of part.lines) found = new TextDecoder().decode(line);
  }
  if (found === lastLine) return;
  const what = found === undefined
    ? `has no event ${head}, the last one in the backup`
    : `has a different event ${head}, the last one in the backup`;
  throw new Error(
    `the source ${source.name} ${what}, although the store ID is the same; nothing was copied. Was the ` +
      "source's data directory restored to an earlier state?",
  );
}

function changedStore(source: Source, storeId: string, found: string): Error {
  return new Error(
    `the source ${source.name} was reset during the run: its store ID was ${storeId} and is now ${found}. ` +
      "Nothing of this page was kept; the next run starts a new backup",
  );
}
