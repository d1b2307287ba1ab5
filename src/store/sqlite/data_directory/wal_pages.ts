const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The words of checksums are those of the machine that wrote the WAL, which its first four bytes tell. */
const LITTLE_ENDIAN = 0x377f0682;

/** What the transactions in a WAL have written. */
export interface CommittedInWal {
  /** Which pages of the database, from 1. */
  readonly pages: ReadonlySet<number>;
  /** How many pages the database has after the last of them; 0 when there is none. */
  readonly pagesAfter: number;
}

/**
 * Reads a WAL as SQLite does (sqlite.org/fileformat2.html, "The WAL File"): up to its last commit before the first frame
 * that is of an earlier log, or whose checksum is wrong.
 */
export function committedInWal(path: string, pageBytes: number): CommittedInWal {
  using file = Deno.openSync(path, { read: true });
  const committed = new Set<number>();
  let pagesAfter = 0;
  const header = read(file, HEADER_BYTES);
  if (header === undefined) return { pages: committed, pagesAfter };
  const isLittleEndian = header.getUint32(0) === LITTLE_ENDIAN;
  const salts = header.getBigUint64(16);
  const sums: Checksum = [header.getUint32(24), header.getUint32(28)];
  let pages: number[] = [];
  for (;;) {
    const frame = read(file, FRAME_HEADER_BYTES + pageBytes);
    if (frame === undefined || frame.getBigUint64(8) !== salts) return { pages: committed, pagesAfter };
    addTo(sums, frame, 0, 8, isLittleEndian);
    addTo(sums, frame, FRAME_HEADER_BYTES, frame.byteLength, isLittleEndian);
    if (frame.getUint32(16) !== sums[0] || frame.getUint32(20) !== sums[1]) {
      return { pages: committed, pagesAfter };
    }
    pages.push(frame.getUint32(0));
    // A frame that ends a transaction says how many pages the database has then.
    const pagesThen = frame.getUint32(4);
    if (pagesThen === 0) continue;
    for (const page of pages) committed.add(page);
    pages = [];
    pagesAfter = pagesThen;
  }
}

type Checksum = [first: number, second: number];

function addTo(sums: Checksum, bytes: DataView, from: number, to: number, isLittleEndian: boolean): void {
  let [first, second] = sums;
  for (let at = from; at < to; at += 8) {
    first = (first + bytes.getUint32(at, isLittleEndian) + second) >>> 0;
    second = (second + bytes.getUint32(at + 4, isLittleEndian) + first) >>> 0;
  }
  sums[0] = first;
  sums[1] = second;
}

function read(file: Deno.FsFile, length: number): DataView | undefined {
  const bytes = new Uint8Array(length);
  for (let have = 0; have < length;) {
    const more = file.readSync(bytes.subarray(have));
    if (more === null) return undefined;
    have += more;
  }
  return new DataView(bytes.buffer);
}
