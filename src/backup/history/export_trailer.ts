import type { HashChain } from "./hash_chain.ts";

/** The first characters of the last line of an export. No event's line starts like this. */
export const TRAILER_START = '{"complete":';

/** The rest of a store that moves: its ID, and how many projections there are, with the hash chain over their lines. */
export interface MovedStore {
  readonly storeId: string;
  readonly projections: number;
  readonly chain: HashChain;
}

/** Returns the last line of an export: the number of events before it, and the hash chain over their lines. */
export function exportTrailer(events: number, chain: HashChain, moved?: MovedStore): string {
  const trailer = { complete: true, events, lastSequence: events, chain: chain.hex };
  const rest = moved &&
    { store: moved.storeId, projections: moved.projections, projectionsChain: moved.chain.hex };
  return `${JSON.stringify({ ...trailer, ...rest })}\n`;
}
