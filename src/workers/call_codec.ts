import type { SharedReader, SharedWriter } from "./shared_bytes.ts";

/** Writes and reads the calls of one method in shared memory, in both directions. */
export interface CallCodec<Args extends readonly unknown[], Value> {
  /** @returns false for arguments that it cannot write; these travel as a message */
  writeArgs(to: SharedWriter, ...args: Args): boolean;
  readArgs(from: SharedReader): Args;
  /** Like `writeArgs`. */
  writeValue(to: SharedWriter, value: Value): boolean;
  readValue(from: SharedReader): Value;
}

// deno-lint-ignore no-explicit-any -- stands for the arguments and value of every method
export type AnyCodec = CallCodec<any, any>;

/** Codecs by method name, for methods with many calls. Both sides have the same list in the same order. */
export type CallCodecs = ReadonlyMap<string, AnyCodec>;

/** Options that a worker and its `RemoteWorker` agree on. */
export interface RemoteOptions {
  /** For the calls that go through shared memory. The worker must have the same codecs. */
  readonly codecs: CallCodecs;
  /** The size of the shared memory, divided among the calls. Arguments and values that do not fit go as messages. */
  readonly memoryBytes: number;
  /** How many calls may be in progress at once; 1 by default. */
  readonly callsMax?: number;
}
