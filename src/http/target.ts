import { Malformed } from "./exchange.ts";

/** Returns the part of a target before the query string, as the client sent it. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

/**
 * Splits a raw path at its slashes and decodes each segment once. So `%2F` is a slash inside a segment and
 * `%2e%2e` is the text `..`. A URL parser would have resolved both.
 * @returns undefined for a path that cannot match a route: one with a `.` or `..` segment, or without a leading slash
 * @throws Malformed for an escape that is broken or not UTF-8
 */
export function decodePath(path: string): string[] | undefined {
  const [before, ...raw] = path.split("/");
  const segments = raw.map(decodeSegment);
  return before !== "" || raw.includes(".") || raw.includes("..") ? undefined : segments;
}

function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Malformed(`the path segment "${segment}" is not valid percent-encoded UTF-8`);
  }
}
