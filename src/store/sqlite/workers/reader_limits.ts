/** How many readers there are, within the maximum, and how long their reads may take. */
export interface ReaderLimits {
  /** The usual number of readers. Many more than processors would only cost memory, 12 MB each. */
  readonly usual: number;
  /**
   * The readers that execute short reads. With more of them than processors next to the main thread, they would slow
   * it down.
   */
  readonly forShort: number;
  /** When a short read takes longer, the reads behind it are cancelled and requeued. */
  readonly slowMilliseconds: number;
  /** A reader busy with one read for longer counts as absent: it may wait for a disk, and another one starts. */
  readonly longMilliseconds: number;
  /** Readers beyond the usual number end after they were not needed for this time. */
  readonly spareMilliseconds: number;
}

export const READER_LIMITS: ReaderLimits = {
  usual: navigator.hardwareConcurrency,
  forShort: Math.max(1, navigator.hardwareConcurrency - 1),
  slowMilliseconds: 10,
  // A chunk ends after 25 ms, unless one of its steps takes long.
  longMilliseconds: 100,
  spareMilliseconds: 10_000,
};
