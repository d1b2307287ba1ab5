import type { BodyLimit } from "../../http/pipeline.ts";
import { EVENTS_PER_CALL_MAX } from "./ticket_requests.ts";

/** JSON may escape one byte as six, as in `\u0000`. */
const JSON_BYTES_PER_BYTE = 6;

/** For parts of a body that the limits do not count: keys, quotes, commas. */
const FRAME_BYTES = 4096;
const BODY_FRAME_BYTES = 1024 * 1024;

interface Limits {
  readonly maxEventSize: number;
  readonly maxProjectionSize: number;
  readonly maxProjectionsPerRequest: number;
}

/** The cap on request bodies. A body that keeps to the limits always fits, however it is escaped. */
export function derivedBodyLimit(limits: Limits): BodyLimit {
  const itemsBytes = (count: number, bytesMax: number): number =>
    count * (JSON_BYTES_PER_BYTE * bytesMax + FRAME_BYTES);
  const bytesMax = Math.max(
    itemsBytes(EVENTS_PER_CALL_MAX, limits.maxEventSize),
    itemsBytes(limits.maxProjectionsPerRequest, limits.maxProjectionSize),
  ) + BODY_FRAME_BYTES;
  return { bytesMax, message: `request body exceeds maxRequestBody (${bytesMax} bytes)` };
}
