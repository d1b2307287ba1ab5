import type { ServerSettings } from "../../src/config/load.ts";
import type { Json, JsonObject } from "./json.ts";

/*
 * Limits that are settings of a server. A schema has a mark in their place. The server replaces it in the document that
 * it sends; the documents for all servers have the highest value instead, or none.
 */

const MARK = /^\{\w+(?:\|(\d+))?\}$/;

/**
 * Returns the mark of a limit.
 * @param most the highest value that any server allows, if there is one
 */
export function settingLimit(name: keyof ServerSettings, most?: number): string {
  return most === undefined ? `{${name}}` : `{${name}|${most}}`;
}

/** The document for all servers. */
export function withoutMarks(document: JsonObject): JsonObject {
  return unmarked(document) as JsonObject;
}

function unmarked(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(unmarked);
  const kept = Object.entries(value).flatMap(([key, member]): [string, Json][] => {
    const mark = typeof member === "string" ? MARK.exec(member) : null;
    if (mark === null) return [[key, unmarked(member)]];
    return mark[1] === undefined ? [] : [[key, Number(mark[1])]];
  });
  return Object.fromEntries(kept);
}

/** The settings that limit a request. */
const LIMITS: readonly (keyof ServerSettings)[] = [
  "defaultEventsPerPage",
  "maxEventsPerPage",
  "maxEventSize",
  "maxTagsPerEvent",
  "maxProjectionSize",
];

const OF_EDITION: Readonly<Record<"A" | "B" | "C", readonly (keyof ServerSettings)[]>> = {
  A: ["maxRequestBodySize", "maxEventsPerWrite", "maxProjectionsPerWrite"],
  B: [
    "maxRequestBodySize",
    "maxProjectionsPerWrite",
    "maxEventsPerTx",
    "maxReadsPerTx",
    "maxProjectionsPerTx",
    "maxOpenTx",
    "txIdleTimeout",
  ],
  C: ["maxProjectionsPerRequest", "transactionTimeout", "maxTransactionDuration"],
};

/** All limits of an edition by the names of their settings, also those that no schema can express. */
export function limitsOf(edition: "A" | "B" | "C"): JsonObject {
  return Object.fromEntries([...LIMITS, ...OF_EDITION[edition]].map((name) => [name, settingLimit(name)]));
}
