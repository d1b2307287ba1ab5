/**
 * One thing, several, or none. A list has no `type`: this lets the compiler select the type of a single event, so that
 * its errors name the wrong part of the event.
 */
export type OneOrMore<T> = T | readonly T[] & { readonly type?: never };

/** Returns a list in every case. */
export function listOf<T>(given: OneOrMore<T>): readonly T[] {
  return Array.isArray(given) ? given : [given as T];
}
