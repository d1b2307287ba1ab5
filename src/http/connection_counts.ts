/** Counts of a server's connections, updated by the listener that accepts them. */
export interface ConnectionCounts {
  open: number;
  /** Connections since startup that the server closed at once because it had no capacity for them. */
  rejected: number;
}
