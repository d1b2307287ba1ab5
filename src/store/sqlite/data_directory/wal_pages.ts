const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The byte order of the words of checksums: that of the machine that made the WAL. */
const MAGIC = { little: 0x377f0682, big: 0x377f0683 };

/** The effect of the transactions in a WAL. */
export interface CommittedInWal {
  /** The pages of the database that were written, from 1. */
  readonly pages: ReadonlySet<number>;
  readonly pageBytes: number;
  /** The number of pages in the database after the last transaction; 0 when there is none. */
  readonly pagesAfter: number;
}

const NOTHING: CommittedInWal = { pages: new Set(), pageBytes: 0, pagesAfter: 0 };

/**
 * Reads a WAL as SQLite does (sqlite.org/fileformat2.html, "The WAL File"). Reading ends before the first frame that
 * belongs to an earlier log or has a wrong checksum. Only frames up to the last commit count. If the header is wrong,
 * nothing counts.
 */
export function committedInWal(path: string): CommittedInWal {
  using file = Deno.openSync(path, { read: true });
  const header = read(file, HEADER_BYTES);
  if (header === undefined) return NOTHING;
  const magic = header.getUint32(0);
  const pageBytes = header.getUint32(8);
  if ((magic !== MAGIC.little && magic !== MAGIC.big) || !isPageSize(pageBytes)) return NOTHING;
  const checksum = new Checksum(magic === MAGIC.little);
  checksum.add(header, 0, 24);
  if (!checksum.isAt(header, 24)) return NOTHING;
  const salts = header.getBigUint64(16);
  const committed = new Set<number>();
  let pagesAfter = 0;
  let pages: number[] = [];
  for (;;) {
    const frame = read(file, FRAME_HEADER_BYTES + pageBytes);
    if (frame === undefined || frame.getBigUint64(8) !== salts) break;
    checksum.add(frame, 0, 8);
    checksum.add(frame, FRAME_HEADER_BYTES, frame.byteLength);
    const page = frame.getUint32(0);
    if (page === 0 || !checksum.isAt(frame, 16)) break;
    pages.push(page);
    // The last frame of a transaction gives the number of pages in the database after it.
    const pagesThen = frame.getUint32(4);
    if (pagesThen === 0) continue;
    for (const page of pages) committed.add(page);
    pages = [];
    pagesAfter = pagesThen;
  }
  return { pages: committed, pageBytes, pagesAfter };
}

/** True when SQLite supports pages of this size. */
export function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65536 && (bytes & (bytes - 1)) === 0;
}

/** The checksum of all bytes that were added, from the header of the WAL on. */
class Checksum {
  readonly #isLittleEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(isLittleEndian: boolean) {
    this.#isLittleEndian = isLittleEndian;
  }

  /** @param from, to a multiple of 8 bytes */
  add(bytes: DataView, from: number, to: number): void {
    let [first, second] = [this.#first, this.#second];
    for (let at = from; at < to; at += 8) {
      first = (first + bytes.getUint32(at, this.#isLittleEndian) + second) >>> 0;
      second = (second + bytes.getUint32(at + 4, this.#isLittleEndian) + first) >>> 0;
    }
    [this.#first, this.#second] = [first, second];
  }

  isAt(bytes: DataView, at: number): boolean {
    return bytes.getUint32(at) === this.#first && bytes.getUint32(at + 4) === this.#second;
  }
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
