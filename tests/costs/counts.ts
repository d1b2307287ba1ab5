/** What is counted, over all threads. */
export const KINDS = ["statements", "messages", "buffers", "bufferKibibytes"] as const;

export type Kind = typeof KINDS[number];

export type Counts = Readonly<Record<Kind, number>>;

/** A buffer of this size or larger counts. */
export const LARGE_BYTES = 4096;

/** What the line of a report begins with. */
export const REPORT = "counted: ";
