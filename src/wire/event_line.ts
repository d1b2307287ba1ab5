import { ApiError } from "../model/errors.ts";
import type { NewEvent } from "../model/event.ts";
import { formatTimestamp } from "../model/timestamp.ts";
import { decodeInteger, decodeObject, decodeString } from "./decode.ts";
import { invalid, quoted } from "./invalid.ts";
import { decodeEvent, EVENT_KEYS, eventBody, eventLine, mayEscapeTagNames } from "./event.ts";
import { parseJson } from "./json.ts";
import { parseByHand } from "./parse_by_hand.ts";
import {
  decodeSealed,
  PAYLOAD_OF_SEALED,
  sealedBody,
  type SealedPayload,
  splitBody,
} from "./sealed_event.ts";

/** An event as read from its line. */
export interface ParsedLine {
  readonly sequence: number;
  /** Microseconds since 1970. */
  readonly timeMicros: number;
  /** The text after sequence and time, without the closing brace. */
  readonly body: string;
  /** Its payload is empty when the stored one is encrypted. */
  readonly event: NewEvent;
  /** The encrypted payload, if it is. */
  readonly sealed?: SealedPayload;
}

const PREFIX = /^\{"sequence":([1-9][0-9]{0,15}),"time":"([^"]{27})",/;
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$/;
export const LINE_KEYS = ["sequence", "time", ...EVENT_KEYS] as const;
const STORED_KEYS = [...LINE_KEYS, "sealed"] as const;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Does the same as `parseEventLine` for the line's bytes. @throws Error that says what is wrong with the line */
export function decodeEventLine(line: Uint8Array): ParsedLine {
  let text: string;
  try {
    text = decoder.decode(line);
  } catch {
    throw new Error("the line is not valid UTF-8");
  }
  return parseEventLine(text);
}

/**
 * The strict inverse of `eventLine`, for events as they are stored: a payload may be encrypted. It accepts only the exact
 * text that `eventLine` produces, so that a stored event is sent again byte for byte.
 * @param line without its line feed
 * @throws Error that says what is wrong with the line
 */
export function parseEventLine(line: string): ParsedLine {
  const parsed = acceptLine(line);
  if (parsed !== undefined) return parsed;
  try {
    rejectLine(line);
  } catch (error) {
    // The request decoders call the whole line the body.
    if (error instanceof ApiError) throw new Error(error.detail?.replace(/^body /, "the line "));
    throw error;
  }
}

function acceptLine(line: string): ParsedLine | undefined {
  const [prefix, sequenceText, time] = PREFIX.exec(line) ?? [];
  if (prefix === undefined || sequenceText === undefined || time === undefined) return undefined;
  const sequence = Number(sequenceText);
  const timeMicros = parseTime(time);
  if (!Number.isSafeInteger(sequence) || timeMicros === undefined || !line.endsWith("}")) return undefined;
  const body = line.slice(prefix.length, -1);
  try {
    const value = JSON.parse(`{${body}}`) as LineObject;
    const line = mayEscapeTagNames(body) ? parseByHand(`{${body}}`) as LineObject : value;
    // Almost all lines: no object is made for them.
    if (line.sealed === undefined) {
      const event = decodeEvent(line, "");
      return eventBody(event) === body ? { sequence, timeMicros, body, event } : undefined;
    }
    const stored = decodeStored(line);
    return stored.body === body ? { sequence, timeMicros, ...stored } : undefined;
  } catch {
    return undefined;
  }
}

interface LineObject {
  readonly sealed?: unknown;
}

/**
 * Decodes an event with an encrypted payload.
 * @returns it with the body that it must have
 * @throws Error that says what is wrong with it
 */
function decodeStored({ sealed: value, ...rest }: LineObject): Pick<ParsedLine, "body" | "event" | "sealed"> {
  const event = decodeEvent(rest, "");
  if (event.payload !== PAYLOAD_OF_SEALED) {
    throw invalid("", "an event with sealed must have an empty payload");
  }
  const sealed = decodeSealed(value, event.identifiers);
  return { event, sealed, body: sealedBody(splitBody(eventBody(event)).tags, sealed) };
}

/** Returns microseconds since 1970, or undefined for a text that `formatTimestamp` does not produce. */
function parseTime(time: string): number | undefined {
  if (!TIME.test(time)) return undefined;
  const micros = Date.parse(`${time.slice(0, 19)}Z`) * 1000 + Number(time.slice(20, 26));
  // The parser accepts the 30th of February.
  return Number.isSafeInteger(micros) && formatTimestamp(micros) === time ? micros : undefined;
}

/** Parses a rejected line again, to report what is wrong with it. */
function rejectLine(text: string): never {
  const line = decodeObject(parseJson(encoder.encode(text)), "", STORED_KEYS);
  const sequence = decodeInteger(line.sequence, "", "sequence", 1);
  if (!Number.isSafeInteger(sequence)) throw invalid("", "sequence must be below 2^53");
  const time = decodeString(line.time, "", "time");
  const timeMicros = parseTime(time);
  if (timeMicros === undefined) {
    throw invalid("", `time must have the form 2026-11-20T12:34:56.123456Z, not ${quoted(time)}`);
  }
  const { type, identifiers, metadata, payload, sealed } = line;
  const event = { type, identifiers, metadata, payload };
  const body = sealed === undefined
    ? eventBody(decodeEvent(event, ""))
    : decodeStored({ ...event, sealed }).body;
  const expected = eventLine({ sequence, timeMicros, body }).slice(0, -1);
  let at = 0;
  while (at < text.length && text[at] === expected[at]) at++;
  throw invalid(
    "",
    `not in the form that this program writes, from column ${at + 1} (${quoted(text.slice(at))})`,
  );
}
