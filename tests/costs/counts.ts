/**
 * The kinds of counts, over all threads. `promotedBytes` is an exception: it counts what outlives the quick
 * collections of garbage in the heap of the main thread alone.
 */
export const KINDS = ["statements", "messages", "buffers", "bufferKibibytes", "promotedBytes"] as const;

export type Kind = typeof KINDS[number];

export type Counts = Readonly<Record<Kind, number>>;

/** A buffer of this size or larger counts. */
export const LARGE_BYTES = 4096;

/** The beginning of the line of a report. */
export const REPORT = "counted: ";
