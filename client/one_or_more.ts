/** One thing, several, or none. */
export type OneOrMore<T> = T | readonly T[];

/** Returns a list in every case. */
export function listOf<T>(given: OneOrMore<T>): readonly T[] {
  return Array.isArray(given) ? given : [given as T];
}
