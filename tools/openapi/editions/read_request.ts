import { settingLimit } from "../limits.ts";
import { described, notBoth, POSITION, ref, request, type Schema } from "../schema.ts";

/** The most events of a page. */
export const PAGE_LIMIT: Schema = { type: "integer", minimum: 1, maximum: settingLimit("maxEventsPerPage") };

/** The body of `QUERY /events`. @param more keys that only this edition has */
export function readRequest(more: Readonly<Record<string, Schema>> = {}): Schema {
  return request({
    ...notBoth("backwards", "waitSeconds"),
    required: ["query"],
    properties: {
      query: ref("Query"),
      afterSequence: described("Only events after this sequence; without it, from the first.", POSITION),
      limit: {
        ...PAGE_LIMIT,
        default: settingLimit("defaultEventsPerPage"),
        description: "At most so many events: up to `maxEventsPerPage`; without it, `defaultEventsPerPage`.",
      },
      beforeSequence: {
        ...POSITION,
        minimum: 1,
        description:
          "Only events before this sequence. With this or `backwards`, do not save the head as position.",
      },
      backwards: {
        type: "boolean",
        description: "The newest event first. `hasMore` then says whether older events match.",
      },
      waitSeconds: {
        type: "integer",
        minimum: 0,
        maximum: 60,
        description:
          "If nothing matches yet, wait at most so long for an event that does. Not with `backwards`.",
      },
      headAtLeast: {
        ...POSITION,
        description: "If the head of a replica is lower, the primary answers, at its own head.",
      },
      ...more,
    },
  });
}
