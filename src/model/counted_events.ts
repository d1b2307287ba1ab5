/** The parts of the answer to `GET /catalog` that say how many events are counted. */
interface Counted {
  readonly afterSequence: number;
  readonly types: readonly { readonly count: number }[];
  /** True when `types` lacks some. */
  readonly moreTypes?: boolean;
}

/** The number of events that a catalog counts. A token with `within` sees fewer than there are sequences. */
export function countedEvents({ types, afterSequence, moreTypes }: Counted): number {
  return moreTypes ? afterSequence : types.reduce((sum, { count }) => sum + count, 0);
}
