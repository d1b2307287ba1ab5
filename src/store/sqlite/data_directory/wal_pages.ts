/** Bytes before the first frame, and before the page of each. */
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Which pages of a database are in its WAL, by the headers of the frames (sqlite.org/fileformat2.html, "The WAL File").
 * Frames behind the last commit, or of an earlier log, do not count. Checksums are left to SQLite.
 * @returns the numbers of the pages, from 1
 */
export function pagesInWal(path: string, pageBytes: number): ReadonlySet<number> {
  const committed = new Set<number>();
  using file = Deno.openSync(path, { read: true });
  const salts = read(file, 0, WAL_HEADER_BYTES)?.getBigUint64(16);
  let pages: number[] = [];
  for (let at = WAL_HEADER_BYTES;; at += FRAME_HEADER_BYTES + pageBytes) {
    const frame = read(file, at, FRAME_HEADER_BYTES);
    if (frame === undefined || frame.getBigUint64(8) !== salts) return committed;
    pages.push(frame.getUint32(0));
    // A frame that ends a transaction says how many pages the database has then.
    if (frame.getUint32(4) === 0) continue;
    for (const page of pages) committed.add(page);
    pages = [];
  }
}

function read(file: Deno.FsFile, at: number, length: number): DataView | undefined {
  const bytes = new Uint8Array(length);
  file.seekSync(at, Deno.SeekMode.Start);
  return file.readSync(bytes) === length ? new DataView(bytes.buffer) : undefined;
}
