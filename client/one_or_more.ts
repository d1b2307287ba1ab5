/** One thing, several, or none. */
export type OneOrMore<T> = T | readonly T[];

/** Always a list. */
export function listOf<T>(given: OneOrMore<T>): readonly T[] {
  return Array.isArray(given) ? given : [given as T];
}
