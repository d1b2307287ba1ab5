import { ApiError, LimitReached } from "../model/errors.ts";

/** The longest piece of a client's text that an error quotes. */
const QUOTED_UNITS_MAX = 60;

/**
 * Returns the error for an item. `path` is the item at fault (`events[3]`), or empty for the body itself. The error is
 * returned and not thrown, so that the compiler sees the caller's `throw`.
 */
export function invalid(path: string, what: string): ApiError {
  return new ApiError("InvalidRequest", withPath(path, what));
}

/** Returns the error for an item that asks for more than a limit allows. */
export function overLimit(path: string, what: string): LimitReached {
  return new LimitReached(withPath(path, what));
}

/** Returns the error for an item that is larger than the setting called `limitName` allows. */
export function tooLarge(path: string, bytes: number, limitName: string, bytesMax: number): ApiError {
  return new ApiError("PayloadTooLarge", `${path} is ${bytes} bytes, more than ${limitName} (${bytesMax})`);
}

/** Returns `text` prefixed with the item it belongs to: `events[3]: payload is missing`. */
export function withPath(path: string, text: string): string {
  return path === "" ? text : `${path}: ${text}`;
}

/** Returns a piece of the client's text for an error, quoted and truncated. */
export function quoted(text: string): string {
  return JSON.stringify(clipped(text));
}

function clipped(text: string): string {
  return text.length > QUOTED_UNITS_MAX ? `${text.slice(0, QUOTED_UNITS_MAX)}...` : text;
}
