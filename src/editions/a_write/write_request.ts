import type { ServerSettings } from "../../config/load.ts";
import type { Condition } from "../../model/condition.ts";
import type { NewEvent } from "../../model/event.ts";
import { VALUES_PER_WRITE_MAX } from "../../model/limits.ts";
import type { ProjectionChanges } from "../../model/projection.ts";
import { queryValues } from "../../model/query.ts";
import { type EventContent, eventContent } from "../../store/core/prepare_event.ts";
import { CONDITION_KEYS, decodeCondition } from "../../wire/condition.ts";
import {
  checkCount,
  decodeArray,
  decodeNonEmptyString,
  decodeObject,
  type Elements,
  isOmitted,
} from "../../wire/decode.ts";
import { decodeEvents, type EventLimits } from "../../wire/event.ts";
import { invalid, overLimit } from "../../wire/invalid.ts";
import { countProjectionChanges, decodeProjectionChanges } from "../../wire/projection.ts";
import type { QueryLiterals } from "../../wire/query.ts";
import { decodeCommittedRead } from "../../wire/read_request.ts";
import type { BodyDecoding } from "../shared/decoding/body_decoding.ts";
import { type DecodedRead, prepareRead } from "../shared/decoding/decoded_read.ts";

/** The strings that replace a query in this edition. */
export const LITERALS: QueryLiterals = new Map([["*", "every"]]);

/** The parts of one write, which become durable all or nothing. */
export interface Write {
  readonly events: readonly NewEvent[];
  readonly conditions: readonly Condition[];
  readonly projections: ProjectionChanges;
}

interface WriteLimits extends EventLimits {
  readonly maxProjectionSize: number;
  /** The limit for events and, separately, for conditions. */
  readonly maxEventsPerWrite: number;
  readonly maxProjectionsPerWrite: number;
}

const WRITE_KEYS = ["events", "conditions", "projections"] as const;

/**
 * Decodes the body of edition A's `POST /write`. It checks all counts before it decodes the first item.
 * @throws ApiError InvalidRequest or PayloadTooLarge
 */
export function decodeWrite(value: unknown, limits: WriteLimits): Write {
  const write = decodeObject(value, "", WRITE_KEYS);
  const events = decodeList(write.events, "events");
  const conditions = decodeList(write.conditions, "conditions");
  const projectionCount = countProjectionChanges(write.projections, "projections");
  checkCount(events.length, "events", "maxEventsPerWrite", limits.maxEventsPerWrite);
  checkCount(conditions.length, "conditions", "maxEventsPerWrite", limits.maxEventsPerWrite);
  checkCount(projectionCount, "projections", "maxProjectionsPerWrite", limits.maxProjectionsPerWrite);
  return {
    events: decodeEvents(events, "events", limits),
    conditions: decodeConditions(conditions),
    projections: decodeProjectionChanges(write.projections, "projections", limits),
  };
}

function decodeList(value: unknown, name: string): Elements {
  return isOmitted(value) ? [] : decodeArray(value, "", name);
}

function decodeConditions(elements: Elements): Condition[] {
  let values = 0;
  return elements.map((element, i) => {
    const condition = decodeStoreCondition(element, `conditions[${i}]`);
    values += queryValues(condition.failIfEventsMatch);
    if (values > VALUES_PER_WRITE_MAX) {
      throw overLimit("", `the queries of conditions name more than ${VALUES_PER_WRITE_MAX} values`);
    }
    return condition;
  });
}

/** Decodes a condition. If it names a position, it must also name the store on which the client read that position. */
function decodeStoreCondition(value: unknown, path: string): Condition {
  const { store, ...rest } = decodeObject(value, path, [...CONDITION_KEYS, "store"]);
  if (isOmitted(rest.afterSequence) !== isOmitted(store)) {
    throw invalid(path, "afterSequence and store must be given together or not at all");
  }
  const condition = decodeCondition(rest, path, LITERALS);
  return isOmitted(store) ? condition : { ...condition, store: decodeNonEmptyString(store, path, "store") };
}

/** The body of a `POST /write`, complete except for the time. */
export interface WriteContent {
  readonly events: readonly EventContent[];
  readonly conditions: readonly Condition[];
  readonly projections: ProjectionChanges;
}

export const WRITE_DECODERS = {
  write(body: unknown, limits: ServerSettings): WriteContent {
    const { events, conditions, projections } = decodeWrite(body, limits);
    return { events: events.map((event) => eventContent(event)), conditions, projections };
  },
  read: (body: unknown, limits: ServerSettings): DecodedRead =>
    prepareRead(decodeCommittedRead(body, LITERALS, limits), limits),
};

export type WriteDecoding = BodyDecoding<typeof WRITE_DECODERS>;
