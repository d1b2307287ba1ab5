import type { ReadRequest } from "../model/read_request.ts";
import { decodeAfterSequence, decodeBoolean, decodeInteger, decodeObject, isOmitted } from "./decode.ts";
import { invalid, overLimit } from "./invalid.ts";
import { decodeQuery, type QueryLiterals } from "./query.ts";

export interface ReadLimits {
  readonly defaultEventsPerPage: number;
  readonly maxEventsPerPage: number;
}

/** A read of committed events. */
export interface CommittedRead extends ReadRequest {
  /** How long the read waits for an event that matches; undefined: not at all. */
  readonly waitSeconds?: number | undefined;
}

const READ_KEYS = ["query", "afterSequence", "limit"] as const;

/** Additions to the specification, which a read inside a transaction does not accept. */
const ADDED_KEYS = ["beforeSequence", "backwards", "waitSeconds", "headAtLeast"] as const;

export const COMMITTED_READ_KEYS = [...READ_KEYS, ...ADDED_KEYS] as const;

const WAIT_SECONDS_MAX = 60;

/** Decodes the body of `QUERY /events`. @throws ApiError InvalidRequest */
export function decodeCommittedRead(
  value: unknown,
  literals: QueryLiterals,
  limits: ReadLimits,
): CommittedRead {
  const read = decodeObject(value, "", COMMITTED_READ_KEYS);
  const beforeSequence = decodeBeforeSequence(read.beforeSequence);
  const backwards = !isOmitted(read.backwards) && decodeBoolean(read.backwards, "", "backwards");
  const waitSeconds = decodeWaitSeconds(read.waitSeconds);
  const headAtLeast = decodeHeadAtLeast(read.headAtLeast);
  if (backwards && waitSeconds !== undefined) throw invalid("", "waitSeconds cannot be used with backwards");
  return {
    ...decodePosition(read, literals, limits),
    ...(beforeSequence === undefined ? {} : { beforeSequence }),
    ...(backwards ? { backwards } : {}),
    ...(waitSeconds === undefined ? {} : { waitSeconds }),
    ...(headAtLeast === undefined ? {} : { headAtLeast }),
  };
}

/** Decodes the body of `QUERY /events/stored`. @throws ApiError InvalidRequest */
export function decodeStoredRead(value: unknown, limits: ReadLimits): ReadRequest {
  const { afterSequence, limit } = decodeObject(value, "", ["afterSequence", "limit"]);
  return {
    query: "every",
    stored: true,
    afterSequence: decodeAfterSequence(afterSequence, ""),
    limit: decodeLimit(limit, limits),
  };
}

/** Decodes the body of a read inside a transaction. @throws ApiError InvalidRequest */
export function decodeReadInside(value: unknown, literals: QueryLiterals, limits: ReadLimits): ReadRequest {
  return decodePosition(decodeObjectInside(value, READ_KEYS), literals, limits);
}

/** Like `decodeObject`, with a special error for the additions. */
export function decodeObjectInside<Key extends string>(
  value: unknown,
  keys: readonly Key[],
): { readonly [key in Key]?: unknown } {
  const read = decodeObject(value, "", [...keys, ...ADDED_KEYS]);
  for (const key of ADDED_KEYS) {
    if (key in read) throw invalid("", `${key} cannot be used inside a transaction`);
  }
  return read;
}

function decodePosition(
  read: { readonly [key in typeof READ_KEYS[number]]?: unknown },
  literals: QueryLiterals,
  limits: ReadLimits,
): ReadRequest {
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

/** Clamps anything above the highest safe integer to it, as `decodeAfterSequence` does. */
function decodeBeforeSequence(value: unknown): number | undefined {
  if (isOmitted(value)) return undefined;
  return Math.min(decodeInteger(value, "", "beforeSequence", 1), Number.MAX_SAFE_INTEGER);
}

/** Clamped like `beforeSequence`. */
function decodeHeadAtLeast(value: unknown): number | undefined {
  if (isOmitted(value)) return undefined;
  return Math.min(decodeInteger(value, "", "headAtLeast", 0), Number.MAX_SAFE_INTEGER);
}

function decodeWaitSeconds(value: unknown): number | undefined {
  if (isOmitted(value)) return undefined;
  const seconds = decodeInteger(value, "", "waitSeconds", 0);
  if (seconds > WAIT_SECONDS_MAX) {
    throw invalid("", `waitSeconds is ${seconds}, more than ${WAIT_SECONDS_MAX}`);
  }
  return seconds;
}
