import type { BackupStore } from "../store/backup_store.ts";
import type { PreparedEvent } from "../store/events.ts";
import { eventTerms } from "../store/tag_index.ts";
import { type ParsedLine, parseEventLine } from "../wire/event_line.ts";
import { HashChain } from "./hash_chain.ts";
import { type Source, SourceError } from "./source.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Copies every event after the backup's last one, each page in a transaction of its own. While one part is being
 * written, the next one is read and made ready.
 * @param storeId the store ID that every page must carry
 * @param onPage called now and then with the sequence up to which events were handed over
 */
export async function copyEvents(
  source: Source,
  storeId: string,
  store: BackupStore,
  onPage: (sequence: number) => void | Promise<void>,
): Promise<void> {
  const chain = new HashChain(store.opened.chain);
  let last = store.opened.head;
  for (let hasMore: boolean | undefined = true; hasMore;) {
    const before = last;
    for await (const part of source.page(before)) {
      if (part.storeId !== storeId) throw changedStore(source, storeId, part.storeId);
      const events = part.lines.map((line) => prepared(source, line, ++last, chain));
      if (events.length > 0) await store.append(events);
      hasMore = part.hasMore;
    }
    if (last > before) await store.commit(chain.value);
    await onPage(last);
  }
  await store.settled();
}

/** An event line made ready for the store; it must be exactly what an event store writes. */
function prepared(source: Source, line: Uint8Array, expected: number, chain: HashChain): PreparedEvent {
  const { sequence, timeMicros, body, event } = parsed(source, line, expected);
  if (sequence !== expected) {
    throw new SourceError(`the source ${source.name}: sequence ${expected} was due, but ${sequence} came`);
  }
  chain.add(line);
  return { timeMicros, body, terms: eventTerms(event) };
}

function parsed(source: Source, line: Uint8Array, expected: number): ParsedLine {
  try {
    return parseEventLine(decoder.decode(line.subarray(0, -1)));
  } catch (error) {
    const reason = error instanceof TypeError ? "it is not valid UTF-8" : (error as Error).message;
    throw new SourceError(`the source ${source.name}: the line of event ${expected} is wrong: ${reason}`);
  }
}

/** @throws SourceError unless the source still holds the last event of the backup */
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
    ? `has no event ${head}, which is the last one of the backup`
    : `has another event ${head} than the backup, where it is the last one`;
  throw new SourceError(
    `the source ${source.name} ${what}, although the store ID is the same; nothing was copied. Was the ` +
      "source's data directory put back to an earlier state?",
  );
}

function changedStore(source: Source, storeId: string, found: string): SourceError {
  return new SourceError(
    `the source ${source.name} was reset in the middle: its store ID was ${storeId} and is now ${found}. ` +
      "Nothing of this page was kept; the next run starts a new backup",
  );
}
