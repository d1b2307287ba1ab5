/** Returns a number of events in words. */
export function countEvents(count: number): string {
  return count === 1 ? "1 event" : `${count} events`;
}
