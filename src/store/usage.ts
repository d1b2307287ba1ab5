/** What a store takes of its disk, in bytes, as far as that can be asked. */
export interface StoreUsage {
  readonly storeBytes?: number | undefined;
  /** What was written, and has not been moved into the store's file yet. */
  readonly walBytes?: number | undefined;
  /** What the server may still take of the disk, and how large that is. */
  readonly freeBytes?: number | undefined;
  readonly diskBytes?: number | undefined;
}
