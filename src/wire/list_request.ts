import type { ListRequest, ProjectionKey } from "../model/projection.ts";
import { invalid } from "./invalid.ts";

/** The most projections of a list, unless a request wants fewer. */
export const LIST_MAX = 1000;

const KEYS = ["type", "limit", "after"];

/** Decodes the query string of `GET /projections`. @throws ApiError InvalidRequest */
export function decodeListRequest(query: string): ListRequest {
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!KEYS.includes(name)) throw invalid("", `unknown parameter "${name}"; there are ${KEYS.join(", ")}`);
    if (given.has(name)) throw invalid("", `${name} is given twice`);
    given.set(name, value);
  }
  const [type, limit, after] = KEYS.map((key) => given.get(key));
  if (type === "") throw invalid("", "type must not be empty");
  return { space: "", type, limit: decodeLimit(limit), after: decodeAfter(after, type) };
}

function decodeLimit(text: string | undefined): number {
  if (text === undefined) return LIST_MAX;
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw invalid("", "limit must be an integer of at least 1");
  return Math.min(Number(text), LIST_MAX);
}

/** With a type it is an ID, without one `<type>/<id>`, both escaped as in the path of a projection. */
function decodeAfter(text: string | undefined, type: string | undefined): ProjectionKey | undefined {
  if (text === "") throw invalid("", "after must not be empty");
  if (text === undefined) return undefined;
  if (type !== undefined) return { type, id: text };
  try {
    const segments = text.split("/").map(decodeURIComponent);
    if (segments.length === 2) return { type: segments[0]!, id: segments[1]! };
  } catch {
    // Not a valid escape.
  }
  throw invalid("", "without type, after must be <type>/<id>, both escaped as in a path");
}
