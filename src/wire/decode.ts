import { LimitReached, Refusal } from "../model/errors.ts";

/** Longest piece of a client's text that an error quotes. */
const QUOTED_UNITS_MAX = 60;

/**
 * The error for an item. `path` is the item at fault (`events[3]`), or empty for the body itself.
 * Returned, not thrown, so that the caller's `throw` is seen by the compiler.
 */
export function invalid(path: string, what: string): Refusal {
  return new Refusal("InvalidRequest", withPath(path, what));
}

/** The error for an item that asks for more than a limit allows. */
export function overLimit(path: string, what: string): LimitReached {
  return new LimitReached(withPath(path, what));
}

/** The error for an item that is larger than the setting called `limitName` allows. */
export function tooLarge(path: string, bytes: number, limitName: string, bytesMax: number): Refusal {
  return new Refusal("PayloadTooLarge", `${path} is ${bytes} bytes, more than ${limitName} (${bytesMax})`);
}

/** `text` prefixed with the item it belongs to: `events[3]: payload is missing`. */
export function withPath(path: string, text: string): string {
  return path === "" ? text : `${path}: ${text}`;
}

/** A piece of the client's text for an error, quoted and truncated. */
export function quoted(text: string): string {
  return JSON.stringify(clipped(text));
}

export function clipped(text: string): string {
  return text.length > QUOTED_UNITS_MAX ? `${text.slice(0, QUOTED_UNITS_MAX)}...` : text;
}

/** Whether an optional key was omitted; `null` means the same. */
export function isOmitted(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** The values of `keys` in a JSON object; any other key is refused. */
export function decodeObject<Key extends string>(
  value: unknown,
  path: string,
  keys: readonly Key[],
): { readonly [key in Key]?: unknown } {
  if (!isObject(value)) throw wrong("", path === "" ? "body" : path, "an object", value);
  for (const key of Object.keys(value)) {
    if (!(keys as readonly string[]).includes(key)) throw invalid(path, `unknown key ${quoted(key)}`);
  }
  return value as { readonly [key in Key]?: unknown };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function decodeArray(value: unknown, path: string, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(path, name, "an array", value);
  return value;
}

/** A string without lone surrogates, which UTF-8 cannot carry. NUL is fine. */
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

/** A number with an integer value from `min` to below 2^63, rounded as JavaScript numbers are. */
export function decodeInteger(value: unknown, path: string, name: string, min: number): number {
  if (typeof value !== "number") throw wrong(path, name, "an integer", value);
  if (!Number.isInteger(value) || value >= 2 ** 63) {
    throw invalid(path, `${name} must be an integer below 2^63`);
  }
  if (value < min) throw invalid(path, `${name} must be at least ${min}`);
  return value + 0; // makes 0 of -0
}

/**
 * A position in the store, 0 when omitted. No store reaches the highest safe integer, so anything above
 * is clamped to it.
 */
export function decodeAfterSequence(value: unknown, path: string): number {
  if (isOmitted(value)) return 0;
  return Math.min(decodeInteger(value, path, "afterSequence", 0), Number.MAX_SAFE_INTEGER);
}

/** Refuses a request that carries more of `things` than the setting called `limitName` allows. */
export function checkCount(count: number, things: string, limitName: string, max: number): void {
  if (count <= max) return;
  throw overLimit("", `request carries ${count} ${things}, more than ${limitName} (${max})`);
}

/** The error for a value that has the wrong type. */
export function wrong(path: string, name: string, expected: string, value: unknown): Refusal {
  if (value === undefined) return invalid(path, `${name} is missing`);
  return invalid(path, `${name} must be ${expected}, not ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
