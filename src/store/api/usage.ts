/** The disk usage of a store, in bytes. A value that is not available is missing. */
export interface StoreUsage {
  readonly storeBytes?: number | undefined;
  /** Data that was written, and has not been moved into the store's file yet. */
  readonly walBytes?: number | undefined;
  /** The free disk space that the server may use, and the size of the disk. */
  readonly freeBytes?: number | undefined;
  readonly diskBytes?: number | undefined;
}
