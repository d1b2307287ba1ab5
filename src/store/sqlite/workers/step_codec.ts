import type { CallCodec } from "../../../workers/call_codec.ts";

/** A method without arguments, whose value is plain data. */
export const stepCodec: CallCodec<[], unknown> = {
  writeArgs: () => true,
  readArgs: () => [],
  writeValue(to, value) {
    // In an object, since JSON has no text for undefined.
    to.text(JSON.stringify({ value }));
    return true;
  },
  readValue: (from) => JSON.parse(from.text()).value,
};
