import type { Database } from "../../store/sqlite/connection/database.ts";
import { batchesOf } from "../../store/sqlite/reading/event_batches.ts";
import { readState } from "../../store/sqlite/tables/identity.ts";
import { eventLine } from "../../wire/event.ts";
import type { Source } from "./source.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Compares every event of a backup with the running source.
 * @returns the first difference, or undefined
 */
export async function compareWithSource(
  db: Database,
  source: Source,
  storeId: string,
): Promise<string | undefined> {
  const { head } = readState(db);
  for (let after = 0; after < head;) {
    const pageStart = after;
    for await (const page of source.page(after, Math.min(source.pageLimit, head - after))) {
      if (page.storeId !== storeId) return `the source changed to store ${page.storeId} in the meantime`;
      const own = linesOf(db, after, after + page.lines.length);
      const at = page.lines.findIndex((line, i) => decoder.decode(line) !== own[i]);
      if (at >= 0) return `event ${after + 1 + at} differs from the source`;
      after += page.lines.length;
    }
    if (after === pageStart) return `the source has no event ${after + 1}`;
  }
  return undefined;
}

function linesOf(db: Database, after: number, head: number): string[] {
  return [...batchesOf(db, { after, upTo: head })].flat().map(eventLine);
}
