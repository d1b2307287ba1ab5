import type { ApiError } from "../model/errors.ts";
import { invalid, quoted } from "./invalid.ts";

/** The keys and indexes on the way to a value. */
export type JsonPath = readonly (string | number)[];

/** The keys of requests that contain items. */
const KEYS: readonly unknown[] = [
  ...["events", "conditions", "projections", "create", "replace", "delete", "query", "failIfEventsMatch"],
  ...["condition", "types", "identifiers", "metadata", "time"],
];

/** Returns the path to the first item of a list, as errors name it: `events[3]`, `projections.create[0]`. */
export function itemPath(path: JsonPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") return `${text}[${step}]`;
    text += `${text === "" ? "" : "."}${KEYS.includes(step) ? step : quoted(step)}`;
  }
  return text;
}

/** Returns the error for a text that is not JSON. `path` is the path to the parsed part of it. */
export function notJson(reason: string, path: JsonPath): ApiError {
  const what = path.length === 0 ? "body" : "the item";
  return invalid(itemPath(path), `${what} is not valid JSON: ${reason}`);
}

/** Returns the error for a key that the object at `path` has twice. */
export function repeatedKey(key: string, path: JsonPath): ApiError {
  return invalid(itemPath(path), `key ${quoted(key)} occurs twice`);
}
