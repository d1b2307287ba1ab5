import type { ApiError } from "../model/errors.ts";
import { invalid, overLimit, quoted } from "./invalid.ts";
import { LargeArray, LargeObject } from "./large_json.ts";

/** A JSON array, whatever its size. */
export interface Elements {
  readonly length: number;
  entries(): Iterable<[index: number, element: unknown]>;
  map<T>(change: (element: unknown, index: number) => T): T[];
}

/** True when an optional key was omitted; `null` means the same. */
export function isOmitted(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Returns the values of `keys` in a JSON object. Any other key is rejected. */
export function decodeObject<Key extends string>(
  value: unknown,
  path: string,
  keys: readonly Key[],
): { readonly [key in Key]?: unknown } {
  const isLarge = value instanceof LargeObject;
  if (!isLarge && !isObject(value)) throw wrong("", path === "" ? "body" : path, "an object", value);
  const given = isLarge ? value.keys() : Object.keys(value);
  for (const key of given) {
    if (!(keys as readonly string[]).includes(key)) throw invalid(path, `unknown key ${quoted(key)}`);
  }
  const members = isLarge ? Object.fromEntries(given.map((key) => [key, value.get(key)])) : value;
  return members as { readonly [key in Key]?: unknown };
}

/** True when a value is an object that has been built. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !isArray(value) && !(value instanceof LargeObject);
}

export function isArray(value: unknown): value is Elements {
  return Array.isArray(value) || value instanceof LargeArray;
}

export function decodeArray(value: unknown, path: string, name: string): Elements {
  if (!isArray(value)) throw wrong(path, name, "an array", value);
  return value;
}

/** Decodes a string without lone surrogates, which UTF-8 cannot encode. NUL is allowed. */
export function decodeString(value: unknown, path: string, name: string): string {
  if (typeof value !== "string") throw wrong(path, name, "a string", value);
  if (!value.isWellFormed()) throw invalid(path, `${name} contains a lone surrogate`);
  return value;
}

export function decodeNonEmptyString(value: unknown, path: string, name: string): string {
  const text = decodeString(value, path, name);
  if (text === "") throw invalid(path, `${name} must not be empty`);
  return text;
}

export function decodeBoolean(value: unknown, path: string, name: string): boolean {
  if (typeof value !== "boolean") throw wrong(path, name, "a boolean", value);
  return value;
}

/** Decodes a number with an integer value from `min` to below 2^63, rounded as JavaScript numbers are. */
export function decodeInteger(value: unknown, path: string, name: string, min: number): number {
  if (typeof value !== "number") throw wrong(path, name, "an integer", value);
  if (!Number.isInteger(value) || value >= 2 ** 63) {
    throw invalid(path, `${name} must be an integer below 2^63`);
  }
  if (value < min) throw invalid(path, `${name} must be at least ${min}`);
  return value + 0; // makes 0 of -0
}

/**
 * Decodes a position in the store, 0 when omitted. No store reaches the highest safe integer, so anything above it is
 * clamped to it.
 */
export function decodeAfterSequence(value: unknown, path: string): number {
  if (isOmitted(value)) return 0;
  return Math.min(decodeInteger(value, path, "afterSequence", 0), Number.MAX_SAFE_INTEGER);
}

/** Rejects a request that contains more of `things` than the setting called `limitName` allows. */
export function checkCount(count: number, things: string, limitName: string, max: number): void {
  if (count <= max) return;
  throw overLimit("", `request carries ${count} ${things}, more than ${limitName} (${max})`);
}

/** Returns the error for a value of the wrong type. */
export function wrong(path: string, name: string, expected: string, value: unknown): ApiError {
  if (value === undefined) return invalid(path, `${name} is missing`);
  return invalid(path, `${name} must be ${expected}, not ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
