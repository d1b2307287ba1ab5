import type { Tags } from "../events.ts";
import { listOf } from "../one_or_more.ts";
import { invalid, Rejection } from "./rejection.ts";
import type {
  ConditionBody,
  EventBody,
  ItemBody,
  ListName,
  ProjectionBody,
  ProjectionsBody,
  QueryBody,
  ReadBody,
  WriteBody,
} from "./wire_types.ts";

/*
 * The checks of requests, with the default limits and the messages of the server. The client sends only values of the
 * right types, so these checks are those of their content.
 */

/** Limits of requests, by the names of the server's settings. */
export type Limits = Readonly<
  Record<
    | "defaultEventsPerPage"
    | "maxEventsPerPage"
    | "maxEventSize"
    | "maxProjectionSize"
    | "maxEventsPerWrite"
    | "maxProjectionsPerWrite"
    | "maxTagsPerEvent"
    | "maxRequestBodySize",
    number
  >
>;

/** The default values of the settings. */
export const LIMITS: Limits = {
  defaultEventsPerPage: 1000,
  maxEventsPerPage: 10_000,
  maxEventSize: 65_536,
  maxProjectionSize: 65_536,
  maxEventsPerWrite: 100,
  maxProjectionsPerWrite: 500,
  maxTagsPerEvent: 20,
  maxRequestBodySize: 8_388_608,
};

const QUERY_ITEMS_MAX = 100;
const ITEM_VALUES_MAX = 100;
const WAIT_SECONDS_MAX = 60;
const LISTS = ["create", "replace", "delete"] as const satisfies ListName[];

/** Checks a write. */
export function checkWrite(
  { events = [], conditions = [], projections = {} }: WriteBody,
  limits: Limits,
): void {
  checkCount(events.length, "events", "maxEventsPerWrite", limits);
  checkCount(conditions.length, "conditions", "maxEventsPerWrite", limits);
  const count = LISTS.reduce((sum, list) => sum + (projections[list]?.length ?? 0), 0);
  checkCount(count, "projections", "maxProjectionsPerWrite", limits);
  checkEvents(events, limits);
  for (const [i, condition] of conditions.entries()) checkCondition(condition, `conditions[${i}]`);
  checkProjections(projections, limits);
}

/** Checks events to write. */
export function checkEvents(events: readonly EventBody[], limits: Limits): void {
  for (const [i, { type, identifiers, metadata, payload }] of events.entries()) {
    const path = `events[${i}]`;
    checkText(type, path, "type");
    checkTags(identifiers, path, "identifiers", limits);
    checkTags(metadata, path, "metadata", limits);
    checkWellFormed(payload, path, "payload");
    const tags = [identifiers, metadata].flatMap((tags) =>
      Object.entries(tags).flatMap(([name, values]) => listOf(values).flatMap((value) => [name, value]))
    );
    checkSize(path, [type, ...tags, payload], "maxEventSize", limits);
  }
}

/** Checks a read, and returns the most events of its page. */
export function checkRead(read: ReadBody, limits: Limits): number {
  const { query, afterSequence = 0, limit, waitSeconds = 0, beforeSequence, backwards } = read;
  if (beforeSequence !== undefined) checkInteger(beforeSequence, "beforeSequence", 1);
  checkInteger(waitSeconds, "waitSeconds", 0);
  if (waitSeconds > WAIT_SECONDS_MAX) {
    throw invalid(`waitSeconds is ${waitSeconds}, more than ${WAIT_SECONDS_MAX}`);
  }
  if (backwards && waitSeconds) throw invalid("waitSeconds cannot be used with backwards");
  checkQuery(query, "query");
  checkInteger(afterSequence, "afterSequence", 0);
  if (limit === undefined) return limits.defaultEventsPerPage;
  checkInteger(limit, "limit", 1);
  if (limit > limits.maxEventsPerPage) {
    throw invalid(`limit is ${limit}, more than maxEventsPerPage (${limits.maxEventsPerPage})`);
  }
  return limit;
}

/** Checks the size of a whole body. */
export function checkBody(text: string, limits: Limits): void {
  const most = limits.maxRequestBodySize;
  if (bytesOf([text]) > most) throw tooLarge(`request body exceeds maxRequestBodySize (${most} bytes)`);
}

function checkCondition({ failIfEventsMatch, afterSequence, store }: ConditionBody, path: string): void {
  if ((afterSequence === undefined) !== (store === undefined)) {
    throw invalid(`${path}: afterSequence and store must be given together or not at all`);
  }
  checkQuery(failIfEventsMatch, "failIfEventsMatch", path);
  if (afterSequence !== undefined) checkInteger(afterSequence, "afterSequence", 0, path);
  if (store === "") throw invalid(`${path}: store must not be empty`);
}

function checkQuery(query: QueryBody, name: string, path?: string): void {
  const whole = at(path, name);
  if (query === "*") return;
  if (query.length === 0) {
    throw invalid(`${whole} is an empty array; it must be "*" or a non-empty array of items`);
  }
  for (const [i, item] of query.entries()) checkItem(item, `${whole}[${i}]`);
  const distinct = new Set(query.map(canonical)).size;
  if (distinct > QUERY_ITEMS_MAX) throw invalid(`${whole} has more than ${QUERY_ITEMS_MAX} distinct items`);
}

function checkItem({ types, identifiers, metadata }: ItemBody, path: string): void {
  for (const [name, list] of Object.entries({ types, identifiers, metadata })) {
    if (list?.length === 0) throw invalid(`${path}: ${name} is an empty array; omit the key`);
  }
  const count = [types, identifiers, metadata].reduce((sum, list) => sum + (list?.length ?? 0), 0);
  if (count === 0) throw invalid(`${path}: an item needs at least one of types, identifiers and metadata`);
  if (count > ITEM_VALUES_MAX) {
    throw invalid(`${path}: the item has ${count} values, more than ${ITEM_VALUES_MAX}`);
  }
}

/** Equal for items with the same content in any order. */
function canonical({ types = [], identifiers = [], metadata = [] }: ItemBody): string {
  const lists = [types, identifiers, metadata].map((list) =>
    list.map((value) => JSON.stringify(value)).sort()
  );
  return JSON.stringify(lists);
}

function checkProjections(projections: ProjectionsBody, limits: Limits): void {
  const places = new Map<string, string>();
  for (const list of LISTS) {
    for (const [i, item] of (projections[list] ?? []).entries()) {
      const place = `projections.${list}[${i}]`;
      checkProjection(item, place, list);
      const key = JSON.stringify([item.type, item.id]);
      const earlier = places.get(key);
      if (earlier) throw invalid(`${place} has the same type and id as ${earlier}`);
      places.set(key, place);
      checkSize(place, [item.type, item.id, item.payload ?? ""], "maxProjectionSize", limits);
    }
  }
}

function checkProjection(
  { type, id, version, payload }: ProjectionBody,
  place: string,
  list: ListName,
): void {
  checkText(type, place, "type");
  checkText(id, place, "id");
  if (list !== "create") {
    if (version === undefined) throw invalid(`${place}: version is missing`);
    checkText(version, place, "version");
  }
  if (payload !== undefined) checkWellFormed(payload, place, "payload");
}

function checkTags(tags: Tags, path: string, name: string, limits: Limits): void {
  const count = Object.values(tags).flat().length;
  const most = limits.maxTagsPerEvent;
  if (count > most) throw invalid(`${path}: ${name} has ${count} tags, more than maxTagsPerEvent (${most})`);
  for (const [tag, values] of Object.entries(tags)) {
    const [tagPath, quoted] = [`${path}: ${name}`, JSON.stringify(tag)];
    checkWellFormed(tag, tagPath, `name ${quoted}`);
    if (typeof values === "string") {
      checkWellFormed(values, tagPath, quoted);
      continue;
    }
    for (const [i, value] of values.entries()) {
      checkWellFormed(value, tagPath, `${quoted}[${i}]`);
      if (values.indexOf(value) < i) {
        throw invalid(`${tagPath}: ${quoted} contains ${JSON.stringify(value)} twice`);
      }
    }
  }
}

function checkText(text: string, path: string, name: string): void {
  checkWellFormed(text, path, name);
  if (text === "") throw invalid(`${path}: ${name} must not be empty`);
}

function checkWellFormed(text: string, path: string, name: string): void {
  // With the flag, this finds only surrogates without a partner. `isWellFormed` is missing in some runtimes.
  if (/\p{Surrogate}/u.test(text)) throw invalid(`${path}: ${name} contains a lone surrogate`);
}

function checkInteger(value: number, name: string, least: number, path?: string): void {
  if (!Number.isInteger(value) || value >= 2 ** 63) {
    throw invalid(at(path, `${name} must be an integer below 2^63`));
  }
  if (value < least) throw invalid(at(path, `${name} must be at least ${least}`));
}

function checkCount(
  count: number,
  things: string,
  name: "maxEventsPerWrite" | "maxProjectionsPerWrite",
  limits: Limits,
): void {
  if (count <= limits[name]) return;
  throw invalid(`request carries ${count} ${things}, more than ${name} (${limits[name]})`);
}

function checkSize(
  path: string,
  texts: readonly string[],
  name: "maxEventSize" | "maxProjectionSize",
  limits: Limits,
): void {
  const bytes = bytesOf(texts);
  if (bytes > limits[name]) throw tooLarge(`${path} is ${bytes} bytes, more than ${name} (${limits[name]})`);
}

function bytesOf(texts: readonly string[]): number {
  const encoder = new TextEncoder();
  return texts.reduce((sum, text) => sum + encoder.encode(text).length, 0);
}

function tooLarge(message: string): Rejection {
  return new Rejection(413, "PayloadTooLarge", message);
}

function at(path: string | undefined, text: string): string {
  return path ? `${path}: ${text}` : text;
}
