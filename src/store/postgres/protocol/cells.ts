/** A value of a row, in PostgreSQL's binary form. */
export type Cell = Uint8Array<ArrayBuffer> | null;
export type Row = readonly Cell[];

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The cells of a message with a row. */
export function rowOf(body: Uint8Array<ArrayBuffer>): Row {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const cells: Cell[] = [];
  let at = 2;
  for (let left = view.getInt16(0); left > 0; left--) {
    const length = view.getInt32(at);
    at += 4;
    if (length === -1) cells.push(null);
    else {
      cells.push(body.subarray(at, at + length));
      at += length;
    }
  }
  return cells;
}

/**
 * Returns the text of a notification. A process ID and the name of the channel precede it, and both texts end with a
 * NUL.
 */
export function notificationIn(body: Uint8Array<ArrayBuffer>): string {
  const start = body.indexOf(0, 4) + 1;
  return decoder.decode(body.subarray(start, body.indexOf(0, start)));
}

/** A `text`. */
export function textIn(cell: Cell | undefined): string {
  return decoder.decode(bytesIn(cell));
}

/** A `bigint` or an `integer`. The numbers of a store never exceed the safe integers. */
export function numberIn(cell: Cell | undefined): number {
  const bytes = bytesIn(cell);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return bytes.length === 4 ? view.getInt32(0) : view.getInt32(0) * 2 ** 32 + view.getUint32(4);
}

export function booleanIn(cell: Cell | undefined): boolean {
  return bytesIn(cell)[0] === 1;
}

/** A value that is not NULL. */
export function bytesIn(cell: Cell | undefined): Uint8Array<ArrayBuffer> {
  if (cell === null || cell === undefined) throw new Error("PostgreSQL answered without a value");
  return cell;
}
