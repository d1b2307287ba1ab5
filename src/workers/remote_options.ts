import type { CallCodecs } from "./call_codec.ts";

/** What a worker and the remote of its object agree on. */
export interface RemoteOptions {
  /** For the calls that go through shared memory; the worker must have the same ones. */
  readonly codecs: CallCodecs;
  /** Arguments and values that need more, each call its share of it, go as messages. */
  readonly memoryBytes: number;
  /** How many calls may be on their way at once; 1 by default. */
  readonly callsMax?: number;
}
