import type { ReadRequest } from "../model/read_request.ts";
import { decodeAfterSequence, decodeInteger, decodeObject, isOmitted } from "./decode.ts";
import { overLimit } from "./invalid.ts";
import { decodeQuery, type QueryLiterals } from "./query.ts";

export interface ReadLimits {
  readonly defaultEventsPerPage: number;
  readonly maxEventsPerPage: number;
}

export const READ_KEYS = ["query", "afterSequence", "limit"] as const;

/** The body of `QUERY /events`. @throws Refusal InvalidRequest */
export function decodeReadRequest(value: unknown, literals: QueryLiterals, limits: ReadLimits): ReadRequest {
  const read = decodeObject(value, "", READ_KEYS);
  return {
    query: decodeQuery(read.query, "query", literals),
    afterSequence: decodeAfterSequence(read.afterSequence, ""),
    limit: decodeLimit(read.limit, limits),
  };
}

function decodeLimit(value: unknown, limits: ReadLimits): number {
  if (isOmitted(value)) return limits.defaultEventsPerPage;
  const limit = decodeInteger(value, "", "limit", 1);
  if (limit > limits.maxEventsPerPage) {
    throw overLimit("", `limit is ${limit}, more than maxEventsPerPage (${limits.maxEventsPerPage})`);
  }
  return limit;
}
