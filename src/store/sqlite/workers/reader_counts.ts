/** How many readers there are, within the most that there may be. */
export interface ReaderCounts {
  /** Many more of them than processors would only cost memory, 12 MB each. */
  readonly usual: number;
  /** Those that make short reads: more of them than processors beside the main thread would stand in its way. */
  readonly forShort: number;
  /** A reader whose short read takes longer gives back those behind it. */
  readonly slowMilliseconds: number;
  /** A reader busy with one read for longer counts as absent: it may wait for a disk, and another one starts. */
  readonly longMilliseconds: number;
  /** Readers beyond the usual number end when they were not needed for so long. */
  readonly spareMilliseconds: number;
}

export const READER_COUNTS: ReaderCounts = {
  usual: navigator.hardwareConcurrency,
  forShort: Math.max(1, navigator.hardwareConcurrency - 1),
  slowMilliseconds: 10,
  // A chunk ends after 25 ms, unless one of its steps takes long.
  longMilliseconds: 100,
  spareMilliseconds: 10_000,
};
