import assert from "node:assert/strict";
import { fillStore } from "../../bench/fill_store.ts";
import { SampleEvents } from "../../bench/sample_events.ts";
import { storePaths } from "../../src/store/sqlite/data_directory/database_file.ts";
import { Reader } from "../../src/store/sqlite/reading/reader.ts";
import { EVERYTHING } from "../store/chunks.ts";
import { inDirectory } from "../support/directory.ts";
import { removeFromPageCache } from "../support/page_cache.ts";

/*
 * Bounds on the pages that a small read takes from the file: the ten newest events of a tag, in a store much larger
 * than the page cache of a reader. Each of the events lies in a page of its own, and the reader has cached few of them.
 */

const EVENTS = 60_000;
const READS = 200;
const PAGE_BYTES = 4096;

/** Pages per read, those of the index and inner pages included. */
const PAGES_MAX = 13;
/** Pages per read from the disk when the system has cached nothing. It may read some more than were asked for. */
const DISK_PAGES_MAX = 20;

/** Returns the pages that this process has read so far. */
function pagesRead(): { readonly fromFiles: number; readonly fromDisk: number } {
  const io = Deno.readTextFileSync("/proc/self/io");
  const pages = (name: string): number =>
    Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(io)![1]) / PAGE_BYTES;
  return { fromFiles: pages("rchar"), fromDisk: pages("read_bytes") };
}

Deno.test("a small read on a large store takes few pages of its file", () =>
  inDirectory(async (directory) => {
    fillStore(directory, EVENTS);
    const { database } = storePaths(directory);
    await removeFromPageCache(database);
    const sample = new SampleEvents(EVENTS, 3);
    const reader = Reader.open(database);
    const read = (): number => {
      const identifiers = [{ name: "article", value: sample.article() }];
      const query = [{ types: [], identifiers, metadata: [] }];
      return reader.chunk({ ...EVERYTHING, query, limit: 10, backwards: true }).events;
    };
    // The inner pages.
    for (let i = 0; i < 20; i++) read();
    const before = pagesRead();
    let events = 0;
    for (let i = 0; i < READS; i++) events += read();
    const after = pagesRead();
    reader.close();
    const pages = (after.fromFiles - before.fromFiles) / READS;
    const diskPages = (after.fromDisk - before.fromDisk) / READS;
    assert.ok(events > 8 * READS, `${events} events were read`);
    assert.ok(pages > 8, `${pages} pages per read: the reader has cached them, so nothing is measured`);
    assert.ok(pages <= PAGES_MAX, `${pages} pages per read`);
    assert.ok(diskPages <= DISK_PAGES_MAX, `${diskPages} pages per read from the disk`);
  }));
