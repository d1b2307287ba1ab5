/** The connections of a server, counted by who accepts them. */
export interface ConnectionCounts {
  open: number;
  /** Those that could not be served since startup, for lack of room. */
  rejected: number;
}
