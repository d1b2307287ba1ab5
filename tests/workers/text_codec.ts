import type { CallCodec, RemoteOptions } from "../../src/workers/call_codec.ts";

/** An argument that cannot be read. */
export const POISON = "poison";

/** An argument of `echo` after which the worker dies. */
export const DEADLY = "deadly";

/** For methods with a text as argument and as value. */
const textCodec: CallCodec<[text: string], string> = {
  writeArgs(to, text) {
    to.text(text);
    return true;
  },
  readArgs(from) {
    const text = from.text();
    if (text === POISON) throw new Error("cannot be read");
    return [text];
  },
  writeValue(to, value) {
    to.text(value);
    return true;
  },
  readValue: (from) => from.text(),
};

export const TEXT_CALLS: RemoteOptions = {
  codecs: new Map([["echo", textCodec], ["fail", textCodec], ["repeat", textCodec]]),
  memoryBytes: 1024,
};

/** The same, and the name of the worker that takes this many of them. */
export const FOUR_CALLS: RemoteOptions = { ...TEXT_CALLS, memoryBytes: 4096, callsMax: 4 };
export const FOUR = "four";
