import assert from "node:assert/strict";
import { join } from "node:path";
import { LineTree } from "../../src/backup/history/line_tree.ts";
import { openForWriting } from "../../src/store/sqlite/connection/connection.ts";
import { scanEvents } from "../../src/store/sqlite/tables/events.ts";
import { isThere } from "../../src/files/is_there.ts";
import { readOrigin } from "../../src/store/sqlite/tables/origin.ts";
import { readTree } from "../../src/store/sqlite/tables/tree.ts";
import { eventLine } from "../../src/wire/event.ts";
import type { Client } from "../support/client.ts";

/**
 * The event lines in a database. A killed process may have left it, so the function reads a copy. Asserts that the
 * tree belongs to the lines. Empty when there is no file.
 */
export function storedLines(file: string): string[] {
  const directory = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
  try {
    const copy = join(directory, "copy.db");
    for (const end of ["", "-wal", "-journal"]) copyIfThere(file + end, copy + end);
    return isThere(copy) ? linesOf(copy) : [];
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

function linesOf(file: string): string[] {
  const db = openForWriting(file);
  try {
    const lines: string[] = [];
    const tree = new LineTree();
    for (const row of scanEvents(db, { after: 0, upTo: Number.MAX_SAFE_INTEGER }, 1_000_000)) {
      lines.push(eventLine(row));
      tree.add(lines.at(-1)!);
    }
    assert.ok(readOrigin(db));
    assert.deepEqual(readTree(db), { blocks: tree.tree.blocksSince(0).blocks, fault: undefined });
    return lines;
  } finally {
    db.close();
  }
}

/** Every event line of a server, exactly as it sends them. */
export async function sourceLines(client: Client, every = "*"): Promise<string[]> {
  const lines: string[] = [];
  for (;;) {
    const json = { query: every, afterSequence: lines.length, limit: 1000 };
    const { text } = await client.request("QUERY", "/events", { json });
    const page = text.split(/(?<=\n)/);
    const trailer = page.pop();
    lines.push(...page);
    if (trailer === '{"hasMore":false}\n') return lines;
    assert.equal(trailer, '{"hasMore":true}\n');
  }
}

function copyIfThere(from: string, to: string): void {
  if (isThere(from)) Deno.copyFileSync(from, to);
}
