import type { HashChain } from "./hash_chain.ts";

/** What the last line of an export begins with; no event's line does. */
export const TRAILER_START = '{"complete":';

/** The last line of an export: how many events come before it, and the hash chain over their lines. */
export function exportTrailer(events: number, chain: HashChain): string {
  const trailer = { complete: true, events, lastSequence: events, chain: chain.hex };
  return `${JSON.stringify(trailer)}\n`;
}
