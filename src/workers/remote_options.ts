import type { CallCodecs } from "./call_codec.ts";

/** Options that a worker and its `RemoteWorker` agree on. */
export interface RemoteOptions {
  /** For the calls that go through shared memory. The worker must have the same codecs. */
  readonly codecs: CallCodecs;
  /** The size of the shared memory, divided among the calls. Arguments and values that do not fit go as messages. */
  readonly memoryBytes: number;
  /** How many calls may be in progress at once; 1 by default. */
  readonly callsMax?: number;
}
