/** The sequences `after < sequence <= upTo`. */
export interface Range {
  readonly after: number;
  readonly upTo: number;
}
