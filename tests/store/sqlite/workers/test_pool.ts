import { READER_LIMITS, type ReaderLimits } from "../../../../src/store/sqlite/workers/reader_limits.ts";
import { ReaderPool } from "../../../../src/store/sqlite/workers/reader_pool.ts";

/** Limits whose timers never fire during a test. */
const QUIET: Partial<ReaderLimits> = { longMilliseconds: 60_000, spareMilliseconds: 60_000 };

/** A pool that is closed at the end of its test. */
export function testPool(
  { path }: { readonly path: string },
  readersMax: number,
  limits?: Partial<ReaderLimits>,
): ReaderPool & AsyncDisposable {
  const all = limits === undefined ? READER_LIMITS : { ...READER_LIMITS, ...QUIET, ...limits };
  const pool = new ReaderPool(path, readersMax, [], all);
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.close() });
}
