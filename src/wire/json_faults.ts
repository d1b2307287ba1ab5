import type { ApiError } from "../model/errors.ts";
import { invalid, quoted } from "./invalid.ts";

/** Keys and indexes that lead to a value. */
export type JsonPath = readonly (string | number)[];

/** The keys of requests that lead to items. */
const KEYS: readonly unknown[] = [
  ...["events", "conditions", "projections", "create", "replace", "delete", "query", "failIfEventsMatch"],
  ...["condition", "types", "identifiers", "metadata", "time"],
];

/** The path to the first item of a list, as errors name it: `events[3]`, `projections.create[0]`. */
export function itemPath(path: JsonPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") return `${text}[${step}]`;
    text += `${text === "" ? "" : "."}${KEYS.includes(step) ? step : quoted(step)}`;
  }
  return text;
}

/** The error for a text that is not JSON; `path` leads to the part of it that was looked at. */
export function notJson(reason: string, path: JsonPath): ApiError {
  const what = path.length === 0 ? "body" : "the item";
  return invalid(itemPath(path), `${what} is not valid JSON: ${reason}`);
}

/** The error for a key that the object at `path` has twice. */
export function repeatedKey(key: string, path: JsonPath): ApiError {
  return invalid(itemPath(path), `key ${quoted(key)} occurs twice`);
}
