import { READER_COUNTS, type ReaderCounts } from "../../../../src/store/sqlite/workers/reader_counts.ts";
import { ReaderPool } from "../../../../src/store/sqlite/workers/reader_pool.ts";

/** Counts whose timers never fire during a test. */
const QUIET: Partial<ReaderCounts> = { longMilliseconds: 60_000, spareMilliseconds: 60_000 };

/** A pool that is closed at the end of its test. */
export function testPool(
  { path }: { readonly path: string },
  readersMax: number,
  counts?: Partial<ReaderCounts>,
): ReaderPool & AsyncDisposable {
  const all = counts === undefined ? READER_COUNTS : { ...READER_COUNTS, ...QUIET, ...counts };
  const pool = new ReaderPool(path, readersMax, [], all);
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.close() });
}
