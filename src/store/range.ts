/** The sequence range `after < sequence <= head`. */
export interface Range {
  readonly after: number;
  readonly head: number;
}
