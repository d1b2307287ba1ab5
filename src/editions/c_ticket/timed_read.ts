import type { ReadRequest } from "../../model/read_request.ts";
import type { TimeRange } from "../../model/time_range.ts";
import { decodeObject, decodeString, isOmitted } from "../../wire/decode.ts";
import { invalid } from "../../wire/invalid.ts";
import { decodeMoment, safeMicros } from "../../wire/moment.ts";
import type { QueryLiterals } from "../../wire/query.ts";
import {
  COMMITTED_READ_KEYS,
  type CommittedRead,
  decodeCommittedRead,
  decodeReadInside,
  type ReadLimits,
} from "../../wire/read_request.ts";

/** The strings that replace a query in this edition. */
export const LITERALS: QueryLiterals = new Map([["*", "every"]]);

/** The body of edition C's `QUERY /events`, which may filter by time. @throws ApiError InvalidRequest */
export function decodeTimedRead(value: unknown, limits: ReadLimits): CommittedRead {
  const { time, ...read } = decodeObject(value, "", [...COMMITTED_READ_KEYS, "time"]);
  return { ...decodeCommittedRead(read, LITERALS, limits), time: decodeTime(time) };
}

/** Decodes the same body for a read with a ticket, which allows no other fields. @throws ApiError InvalidRequest */
export function decodeTimedReadInside(value: unknown, limits: ReadLimits): ReadRequest {
  const { time, ...read } = decodeObject(value, "", [...COMMITTED_READ_KEYS, "time"]);
  return { ...decodeReadInside(read, LITERALS, limits), time: decodeTime(time) };
}

function decodeTime(value: unknown): TimeRange | undefined {
  if (isOmitted(value)) return undefined;
  const time = decodeObject(value, "time", ["from", "before"]);
  const from = momentOf(time.from, "from");
  const before = momentOf(time.before, "before");
  if (from !== undefined && before !== undefined && from >= before) {
    throw invalid("time", '"from" must be earlier than "before"');
  }
  return {
    fromMicros: safeMicros(from ?? BigInt(Number.MIN_SAFE_INTEGER)),
    beforeMicros: safeMicros(before ?? BigInt(Number.MAX_SAFE_INTEGER)),
  };
}

function momentOf(value: unknown, name: "from" | "before"): bigint | undefined {
  return isOmitted(value) ? undefined : decodeMoment(decodeString(value, "time", name), "time", name);
}
