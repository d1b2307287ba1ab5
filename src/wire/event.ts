import { containsEmail } from "../model/email.ts";
import { eventBytesOver, type NewEvent } from "../model/event.ts";
import { TAGS_PER_NAMESPACE_MAX } from "../model/limits.ts";
import type { Queried } from "../model/query.ts";
import type { Tag } from "../model/tag.ts";
import { formatTimestamp } from "../model/timestamp.ts";
import { decodeArray, decodeNonEmptyString, decodeObject, decodeString } from "./decode.ts";
import { invalid, quoted, tooLarge, withPath } from "./invalid.ts";
import { parseByHand } from "./parse_by_hand.ts";
import { decodeTags, tagList, type TagObject, tagObject, tagsText } from "./tags.ts";

export const EVENT_KEYS = ["type", "identifiers", "metadata", "payload"] as const;

/** The settings that limit the events of clients. */
export interface EventLimits {
  /** In bytes. */
  readonly maxEventSize: number;
  /** The most identifiers, and separately the most metadata. */
  readonly maxTagsPerEvent: number;
  readonly rejectEmails: boolean;
}

/**
 * Decodes the events of a write; `path` is the name of their array. The caller limits their number.
 * @throws ApiError InvalidRequest, or PayloadTooLarge for an event over `maxEventSize` bytes
 */
export function decodeEvents(value: unknown, path: string, limits: EventLimits): NewEvent[] {
  return decodeArray(value, "", path).map((element, i) => {
    const event = decodeEvent(element, `${path}[${i}]`, limits.maxTagsPerEvent);
    const bytes = eventBytesOver(limits.maxEventSize, event);
    if (bytes > 0) throw tooLarge(`${path}[${i}]`, bytes, "maxEventSize", limits.maxEventSize);
    if (limits.rejectEmails) {
      rejectEmail(event.identifiers, `${path}[${i}]`, "identifiers");
      rejectEmail(event.metadata, `${path}[${i}]`, "metadata");
    }
    return event;
  });
}

/** @throws ApiError InvalidRequest for a value that looks like an e-mail address, without repeating it */
function rejectEmail(tags: readonly Tag[], path: string, name: string): void {
  const tag = tags.find(({ value }) => containsEmail(value));
  if (tag === undefined) return;
  throw invalid(
    withPath(path, name),
    `a value of ${quoted(tag.name)} looks like an e-mail address, which rejectEmails does not allow`,
  );
}

/**
 * Decodes one event, of whatever size.
 * @param tagsMax the most identifiers, and separately the most metadata
 * @throws ApiError InvalidRequest
 */
export function decodeEvent(value: unknown, path: string, tagsMax = TAGS_PER_NAMESPACE_MAX): NewEvent {
  const event = decodeObject(value, path, EVENT_KEYS);
  return {
    type: decodeNonEmptyString(event.type, path, "type"),
    identifiers: decodeTags(event.identifiers, path, "identifiers", tagsMax),
    metadata: decodeTags(event.metadata, path, "metadata", tagsMax),
    payload: decodeString(event.payload, path, "payload"),
  };
}

/** Returns the part of an event's JSON line after `sequence` and `time`, without the closing brace. */
export function eventBody({ type, identifiers, metadata, payload }: NewEvent): string {
  const event = { type, identifiers: tagObject(identifiers), metadata: tagObject(metadata), payload };
  if (event.identifiers !== undefined && event.metadata !== undefined) {
    return JSON.stringify(event).slice(1, -1);
  }
  return `"type":${JSON.stringify(type)},"identifiers":${tagsText(identifiers)},` +
    `"metadata":${tagsText(metadata)},"payload":${JSON.stringify(payload)}`;
}

interface StoredTags {
  readonly type: string;
  readonly identifiers: TagObject;
  readonly metadata: TagObject;
}

/** Returns the JSON text of a type between its quotes, in the form in which `typeTextOf` finds it. */
export function typeText(type: string): string {
  return JSON.stringify(type).slice(1, -1);
}

/*
 * A text of `eventBody` is `"type":"...","identifiers":{...},"metadata":{...},"payload":"..."`. Strings escape their
 * quotes, and no tag is an object: these texts occur once before the payload.
 */

/** The index of the type, with its quotes. */
export const TYPE_START: number = '"type":'.length;
export const IDENTIFIERS = ',"identifiers":{';
export const METADATA = '},"metadata":{';

const TYPE_END = `"${IDENTIFIERS}`;

/** Returns the type in a text of `eventBody`, without parsing the text. */
export function typeTextOf(body: string): string {
  return body.slice(TYPE_START + 1, body.indexOf(TYPE_END, TYPE_START + 1));
}

/** The text between metadata and payload. */
export const PAYLOAD = '},"payload":';

/** True when a text of `eventBody` has metadata with this name, of letters. */
export function hasMetadata(body: string, name: string): boolean {
  return body.slice(body.indexOf(METADATA), body.indexOf(PAYLOAD)).includes(`"${name}":`);
}

/** Adds metadata to a text of `eventBody` that has none of this name. */
export function withMetadata(body: string, name: string, value: string): string {
  const end = body.indexOf(PAYLOAD);
  const comma = body[end - 1] === "{" ? "" : ",";
  return `${body.slice(0, end)}${comma}"${name}":${JSON.stringify(value)}${body.slice(end)}`;
}

/** Returns type and tags of a text of `eventBody`, without parsing the payload. */
export function parseEventTags(body: string): StoredTags {
  const tagsEnd = body.indexOf(PAYLOAD) + 1;
  const text = `{${body.slice(0, tagsEnd)}}`;
  return (text.includes("\\") ? parseByHand(text) : JSON.parse(text)) as StoredTags;
}

/** Returns the parts of a text of `eventBody` that a query tests. */
export function parseQueried(body: string): Queried {
  const { type, identifiers, metadata } = parseEventTags(body);
  return { type, identifiers: tagList(identifiers), metadata: tagList(metadata) };
}

/** True when an event's text may contain a tag name with a backslash, which the native parser may read wrongly. */
export function mayEscapeTagNames(text: string): boolean {
  // Strings escape their quotes, so this text occurs only once.
  const tagsEnd = text.indexOf(PAYLOAD);
  return text.lastIndexOf("\\", tagsEnd) !== -1;
}

/** Returns one line of an events page. `timeMicros` is in microseconds since 1970, `body` is a text of `eventBody`. */
export function eventLine(
  { sequence, timeMicros, body }: {
    readonly sequence: number;
    readonly timeMicros: number;
    readonly body: string;
  },
): string {
  return eventLineStart(sequence, timeMicros) + body + EVENT_LINE_END;
}

/** Returns the text before the body in the line of an event. */
export function eventLineStart(sequence: number, timeMicros: number): string {
  return `{"sequence":${sequence},"time":"${formatTimestamp(timeMicros)}",`;
}

/** The text after the body in the line of an event. */
export const EVENT_LINE_END = "}\n";
