import { ApiError } from "../model/errors.ts";
import type { NewEvent } from "../model/event.ts";
import { parseTimestamp } from "../model/timestamp.ts";
import { decodeObject, decodeString, isOmitted } from "./decode.ts";
import { decodeEvent, EVENT_KEYS } from "./event.ts";
import { invalid, quoted } from "./invalid.ts";
import { parseJson } from "./json.ts";

/** An event that another program has written, with its time if it has one. */
export interface PlainEvent {
  readonly event: NewEvent;
  /** Microseconds since 1970. */
  readonly timeMicros: number | undefined;
}

const KEYS = [...EVENT_KEYS, "time", "sequence"] as const;

/**
 * Decodes a line with an event as in a write, with an optional `time`.
 * @param line without its line feed
 * @throws Error that says what is wrong with the line
 */
export function decodePlainEvent(line: Uint8Array): PlainEvent {
  if (line.length === 0) throw new Error("the line is empty");
  try {
    const { time, sequence, ...event } = decodeObject(parseJson(line), "", KEYS);
    if (!isOmitted(sequence)) {
      throw invalid("", "sequence must be omitted: events are numbered in the order of their lines");
    }
    return { event: decodeEvent(event, ""), timeMicros: isOmitted(time) ? undefined : decodeTime(time) };
  } catch (error) {
    // The request decoders call the whole line the body.
    if (error instanceof ApiError) throw new Error(error.detail?.replace(/^body /, "the line "));
    throw error;
  }
}

function decodeTime(value: unknown): number {
  const text = decodeString(value, "", "time");
  const micros = parseTimestamp(text);
  if (micros === undefined) {
    throw invalid(
      "",
      `time must be like 2026-11-20T12:34:56Z or 2026-11-20T13:34:56.5+01:00, not ${quoted(text)}`,
    );
  }
  // A number must hold the microseconds exactly.
  if (!Number.isSafeInteger(Number(micros))) {
    throw invalid("", `time must be within 285 years of 1970, not ${quoted(text)}`);
  }
  return Number(micros);
}
