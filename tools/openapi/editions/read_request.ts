import { COUNT, described, ref, request, type Schema } from "../schema.ts";

/** The body of `QUERY /events`. @param more keys that only this edition has */
export function readRequest(more: Readonly<Record<string, Schema>> = {}): Schema {
  return request({
    required: ["query"],
    properties: {
      query: ref("Query"),
      afterSequence: described("Only events after this sequence; without it, from the first.", COUNT),
      limit: {
        type: "integer",
        minimum: 1,
        description: "At most so many events: up to `maxEventsPerPage`; without it, `defaultEventsPerPage`.",
      },
      beforeSequence: {
        type: "integer",
        minimum: 1,
        description:
          "Addition: only events before this sequence. With this or `backwards`, the head must not be saved as position.",
      },
      backwards: {
        type: "boolean",
        description: "Addition: the newest first. `hasMore` then says whether older events match.",
      },
      waitSeconds: {
        type: "integer",
        minimum: 0,
        maximum: 60,
        description:
          "Addition: when nothing matches yet, wait at most so long for an event that does. Not with `backwards`.",
      },
      headAtLeast: {
        ...COUNT,
        description:
          "Addition: a replica whose head is below this is not read; the primary answers, at its own head.",
      },
      ...more,
    },
  });
}
