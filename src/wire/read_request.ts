import type { Query } from "../model/query.ts";
import type { TimeRange } from "../model/time_range.ts";
import { parseTimestamp } from "../model/timestamp.ts";
import {
  decodeAfterSequence,
  decodeInteger,
  decodeObject,
  decodeString,
  invalid,
  isLeftOut,
  overLimit,
  quoted,
} from "./decode.ts";
import { decodeQuery, type QueryLiterals } from "./query.ts";

/** The body of `QUERY /events`: which events, after which sequence, and how many at most. */
export interface ReadRequest {
  readonly query: Query;
  /** 0 when left out: from the start. */
  readonly afterSequence: number;
  /** undefined: of any time. */
  readonly time?: TimeRange | undefined;
  readonly limit: number;
}

export interface ReadLimits {
  readonly defaultEventsPerPage: number;
  readonly maxEventsPerPage: number;
}

const READ_KEYS = ["query", "afterSequence", "limit"] as const;
const TIMED_READ_KEYS = [...READ_KEYS, "time"] as const;

/** @throws Refusal InvalidRequest */
export function decodeReadRequest(value: unknown, literals: QueryLiterals, limits: ReadLimits): ReadRequest {
  return decodeRead(decodeObject(value, "", READ_KEYS), literals, limits);
}

/** The same with a filter by time, which only edition C has. */
export function decodeTimedReadRequest(
  value: unknown,
  literals: QueryLiterals,
  limits: ReadLimits,
): ReadRequest {
  const read = decodeObject(value, "", TIMED_READ_KEYS);
  return { ...decodeRead(read, literals, limits), time: decodeTime(read.time) };
}

function decodeRead(
  read: { readonly [key in (typeof READ_KEYS)[number]]?: unknown },
  literals: QueryLiterals,
  limits: ReadLimits,
): ReadRequest {
  return {
    query: decodeQuery(read.query, "query", literals),
    afterSequence: decodeAfterSequence(read.afterSequence, ""),
    limit: decodeLimit(read.limit, limits),
  };
}

function decodeTime(value: unknown): TimeRange | undefined {
  if (isLeftOut(value)) return undefined;
  const time = decodeObject(value, "time", ["from", "before"]);
  const from = decodeMoment(time.from, "from");
  const before = decodeMoment(time.before, "before");
  if (from !== undefined && before !== undefined && from >= before) {
    throw invalid("time", "from must lie before before");
  }
  return {
    fromMicros: safe(from ?? BigInt(Number.MIN_SAFE_INTEGER)),
    beforeMicros: safe(before ?? BigInt(Number.MAX_SAFE_INTEGER)),
  };
}

function decodeMoment(value: unknown, name: "from" | "before"): bigint | undefined {
  if (isLeftOut(value)) return undefined;
  const text = decodeString(value, "time", name);
  const micros = parseTimestamp(text);
  if (micros === undefined) throw invalid("time", `${name} must be an RFC 3339 time, not ${quoted(text)}`);
  return micros;
}

/** No event was or will be written beyond the years 1684 and 2255, so moments outside are brought there. */
function safe(micros: bigint): number {
  const limited = Math.min(Number(micros), Number.MAX_SAFE_INTEGER);
  return Math.max(limited, Number.MIN_SAFE_INTEGER);
}

function decodeLimit(value: unknown, limits: ReadLimits): number {
  if (isLeftOut(value)) return limits.defaultEventsPerPage;
  const limit = decodeInteger(value, "", "limit", 1);
  if (limit > limits.maxEventsPerPage) {
    throw overLimit("", `limit is ${limit}, more than maxEventsPerPage (${limits.maxEventsPerPage})`);
  }
  return limit;
}
