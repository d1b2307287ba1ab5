import type { HashChain } from "./hash_chain.ts";

/** The first characters of the last line of an export. No event's line starts like this. */
export const TRAILER_START = '{"complete":';

/** Returns the last line of an export: the number of events before it, and the hash chain over their lines. */
export function exportTrailer(events: number, chain: HashChain): string {
  const trailer = { complete: true, events, lastSequence: events, chain: chain.hex };
  return `${JSON.stringify(trailer)}\n`;
}
