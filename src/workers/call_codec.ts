import type { SharedReader, SharedWriter } from "./shared_bytes.ts";

/** How the calls of one method travel through shared memory, in both directions. */
export interface CallCodec<Args extends readonly unknown[], Value> {
  /** @returns false for what it cannot write; that travels as a message */
  writeArgs(to: SharedWriter, ...args: Args): boolean;
  readArgs(from: SharedReader): Args;
  /** Like `writeArgs`. */
  writeValue(to: SharedWriter, value: Value): boolean;
  readValue(from: SharedReader): Value;
}

// deno-lint-ignore no-explicit-any -- stands for the arguments and value of every method
export type AnyCodec = CallCodec<any, any>;

/** Codecs by the name of the method: those whose calls are many. The same list in the same order on both sides. */
export type CallCodecs = ReadonlyMap<string, AnyCodec>;
