import type { Query } from "../model/query.ts";
import { decodeAfterSequence, decodeInteger, decodeObject, isLeftOut, overLimit } from "./decode.ts";
import { decodeQuery, type QueryLiterals } from "./query.ts";

/** The body of `QUERY /events`: which events, after which sequence, and how many at most. */
export interface ReadRequest {
  readonly query: Query;
  /** 0 when left out: from the start. */
  readonly afterSequence: number;
  readonly limit: number;
}

export interface ReadLimits {
  readonly defaultEventsPerPage: number;
  readonly maxEventsPerPage: number;
}

const READ_KEYS = ["query", "afterSequence", "limit"] as const;

/** @throws Refusal InvalidRequest */
export function decodeReadRequest(value: unknown, literals: QueryLiterals, limits: ReadLimits): ReadRequest {
  const read = decodeObject(value, "", READ_KEYS);
  return {
    query: decodeQuery(read.query, "query", literals),
    afterSequence: decodeAfterSequence(read.afterSequence, ""),
    limit: decodeLimit(read.limit, limits),
  };
}

function decodeLimit(value: unknown, limits: ReadLimits): number {
  if (isLeftOut(value)) return limits.defaultEventsPerPage;
  const limit = decodeInteger(value, "", "limit", 1);
  if (limit > limits.maxEventsPerPage) {
    throw overLimit("", `limit is ${limit}, more than maxEventsPerPage (${limits.maxEventsPerPage})`);
  }
  return limit;
}
