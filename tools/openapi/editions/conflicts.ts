import { answer, COUNT, described, list, oneWord, ref, type Schema, TEXT } from "../schema.ts";

export const CONFLICTS_SUMMARY =
  "The last 100 writes that were rejected with a conflict, and their counts by hour";

/** The answer to `GET /debug/conflicts`. */
export const CONFLICT_SCHEMAS: Readonly<Record<string, Schema>> = {
  Conflicts: answer({
    conflicts: described("The newest first.", list(ref("RejectedWrite"))),
    hours: described(
      "The hours of the last day that had conflicts, the newest first.",
      list(ref("ConflictsOfHour")),
    ),
  }),
  RejectedWrite: answer({
    time: ref("Time"),
    types: described("The types of its first ten events, each once.", list(TEXT)),
    cause: oneWord("eventMatches", "otherStore", "exists", "otherVersion"),
    query: described("That of the condition that did not hold, or its first items.", ref("Query")),
    isShortened: described("Given when the query has more items.", { type: "boolean" }),
    afterSequence: described("Events up to here did not count.", COUNT),
    sequence: described("The first event that matched.", ref("Sequence")),
    projection: described(
      "The projection that exists, or has another version.",
      answer({ type: TEXT, id: TEXT }),
    ),
  }, ["query", "isShortened", "afterSequence", "sequence", "projection"]),
  ConflictsOfHour: answer({
    from: ref("Time"),
    types: described(
      "By the type of the first event that would have been written; an empty type when there was none.",
      list(answer({ type: TEXT, count: COUNT })),
    ),
  }),
};
