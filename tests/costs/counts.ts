/**
 * What is counted, over all threads; of `promotedBytes`, which is what outlives the quick collections of garbage in the
 * heap, the main thread alone.
 */
export const KINDS = ["statements", "messages", "buffers", "bufferKibibytes", "promotedBytes"] as const;

export type Kind = typeof KINDS[number];

export type Counts = Readonly<Record<Kind, number>>;

/** A buffer of this size or larger counts. */
export const LARGE_BYTES = 4096;

/** What the line of a report begins with. */
export const REPORT = "counted: ";
