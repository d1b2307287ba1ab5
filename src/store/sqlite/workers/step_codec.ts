import type { CallCodec } from "../../../workers/call_codec.ts";
import { done, type Outcome } from "../../api/outcome.ts";

/** The codec for a step of a transaction that needs no arguments and returns nothing. */
export const stepCodec: CallCodec<[], Outcome<void>> = {
  writeArgs: () => true,
  readArgs: () => [],
  writeValue: (_, outcome) => outcome.kind === "done",
  readValue: () => done(undefined),
};

/** The same for a step that cannot fail. */
export const surelyCodec: CallCodec<[], void> = {
  writeArgs: () => true,
  readArgs: () => [],
  writeValue: () => true,
  readValue: () => {},
};
