export const WAL_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;

/** A frame of a made-up WAL. */
export interface MadeFrame {
  readonly page: number;
  /** The number of pages in the database after the transaction that this frame ends; 0 if it does not end one. */
  readonly pagesAfter: number;
}

/** A WAL with pages of zeros (sqlite.org/fileformat2.html, "The WAL File"). */
export function madeWal(pageBytes: number, frames: readonly MadeFrame[]): Uint8Array<ArrayBuffer> {
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const view = new DataView(new ArrayBuffer(WAL_HEADER_BYTES + frames.length * frameBytes));
  view.setUint32(4, 3007000);
  view.setUint32(8, pageBytes);
  for (const [i, { page, pagesAfter }] of frames.entries()) {
    view.setUint32(WAL_HEADER_BYTES + i * frameBytes, page);
    view.setUint32(WAL_HEADER_BYTES + i * frameBytes + 4, pagesAfter);
  }
  return sealed(new Uint8Array(view.buffer), { isLittleEndian: true });
}

/** The same WAL with right checksums, in the byte order of a machine. */
export function sealed(
  wal: Uint8Array,
  { isLittleEndian }: { readonly isLittleEndian: boolean },
): Uint8Array<ArrayBuffer> {
  const copy = wal.slice();
  const view = new DataView(copy.buffer);
  let sums: [first: number, second: number] = [0, 0];
  const add = (from: number, to: number): void => {
    let [first, second] = sums;
    for (let at = from; at < to; at += 8) {
      first = (first + view.getUint32(at, isLittleEndian) + second) >>> 0;
      second = (second + view.getUint32(at + 4, isLittleEndian) + first) >>> 0;
    }
    sums = [first, second];
  };
  const put = (at: number): void => sums.forEach((sum, i) => view.setUint32(at + 4 * i, sum));
  view.setUint32(0, isLittleEndian ? 0x377f0682 : 0x377f0683);
  add(0, 24);
  put(24);
  const frameBytes = FRAME_HEADER_BYTES + view.getUint32(8);
  for (let at = WAL_HEADER_BYTES; at < copy.length; at += frameBytes) {
    add(at, at + 8);
    add(at + FRAME_HEADER_BYTES, at + frameBytes);
    put(at + 16);
  }
  return copy;
}
