import { parseTimestamp } from "../model/timestamp.ts";
import { invalid, quoted } from "./invalid.ts";

/**
 * Decodes an RFC 3339 time.
 * @param path the item that the time belongs to, or empty
 * @returns microseconds since 1970, rounded up
 * @throws ApiError InvalidRequest
 */
export function decodeMoment(text: string, path: string, name: string): bigint {
  const micros = parseTimestamp(text);
  if (micros === undefined) throw invalid(path, `${name} must be an RFC 3339 time, not ${quoted(text)}`);
  return micros;
}

/** Returns the nearest safe integer. Every event lies between the years 1684 and 2255, so that changes nothing. */
export function safeMicros(micros: bigint): number {
  return Math.max(Math.min(Number(micros), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
}
