import { json, server } from "./client_flags.ts";
import type { Verb } from "./program.ts";

/** The verb for the consumers of the client library. */
export const consumersVerb = {
  name: "consumers",
  summary: "Lists the consumers of the client library, or shows one with its parked events.",
  arguments: [{ name: "name" }],
  flags: [
    {
      name: "retry",
      value: "sequence",
      help: "let the consumer handle this parked event again, or all of them: --retry all",
    },
    { name: "drop", value: "sequence", help: "forget this parked event for good, or all: --drop all" },
    json("print each consumer as one line of JSON"),
    ...server,
  ],
} as const satisfies Verb;
