import type { CallCodec } from "../../../workers/call_codec.ts";
import type { SharedReader, SharedWriter } from "../../../workers/shared_bytes.ts";
import type { ProjectionChanges } from "../../../model/projection.ts";
import { done, type Outcome } from "../../api/outcome.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import {
  type AttemptResult,
  EMPTY_WRITE,
  type NewVersions,
  type StoreWrite,
  type WriteResult,
} from "../../api/write.ts";

/*
 * The codec for writes on their way to the writer, and for their results. Events are encoded field by field, which is
 * several times faster than JSON. Conditions are short, and projections rare.
 */

type Outcomes = readonly Outcome<AttemptResult>[];

export const groupCodec: CallCodec<[writes: readonly StoreWrite[]], Outcomes> = {
  writeArgs(to, writes) {
    to.number(writes.length);
    for (const write of writes) {
      if (to.isFull) return false;
      writeWrite(to, write);
    }
    return true;
  },
  readArgs(from) {
    return [listOf(from.number(), () => readWrite(from))];
  },
  writeValue(to, outcomes) {
    to.number(outcomes.length);
    for (const outcome of outcomes) {
      if (outcome.kind !== "done") return false;
      writeResult(to, outcome.value);
    }
    return true;
  },
  readValue(from) {
    return listOf(from.number(), () => done(readResult(from)));
  },
};

/** One write inside an open transaction. */
export const writeInsideCodec: CallCodec<[write: StoreWrite], Outcome<WriteResult>> = {
  writeArgs: (to, write) => groupCodec.writeArgs(to, [write]),
  readArgs: (from) => [groupCodec.readArgs(from)[0][0]!],
  writeValue: (to, outcome) => groupCodec.writeValue(to, [outcome]),
  readValue: (from) => groupCodec.readValue(from)[0] as Outcome<WriteResult>,
};

function writeWrite(
  to: SharedWriter,
  { conditions, projections, events, forget, hasBudget }: StoreWrite,
): void {
  to.number(hasBudget === true ? 1 : 0);
  to.text(conditions.length === 0 ? "" : JSON.stringify(conditions));
  to.text(isEmpty(projections) ? "" : JSON.stringify(projections));
  to.text(forget === undefined ? "" : JSON.stringify(forget));
  to.number(events.length);
  for (const { timeMicros, body, terms } of events) {
    to.number(timeMicros);
    to.text(body);
    to.text(terms);
  }
}

function readWrite(from: SharedReader): StoreWrite {
  const hasBudget = from.number() === 1;
  const conditions = from.text();
  const projections = from.text();
  const forget = from.text();
  return {
    hasBudget,
    forget: forget === "" ? undefined : JSON.parse(forget),
    conditions: conditions === "" ? [] : JSON.parse(conditions),
    projections: projections === "" ? EMPTY_WRITE.projections : JSON.parse(projections),
    events: listOf(from.number(), () => readEvent(from)),
  };
}

function readEvent(from: SharedReader): PreparedEvent {
  return { timeMicros: from.number(), body: from.text(), terms: from.text() };
}

function isEmpty({ create, replace, delete: deleted }: ProjectionChanges): boolean {
  return create.length + replace.length + deleted.length === 0;
}

const WRITTEN = 0;
const OTHER = 1;

const NO_VERSIONS: NewVersions = { create: [], replace: [] };

function writeResult(to: SharedWriter, result: AttemptResult): void {
  if (result.kind !== "written" || result.hadKey !== undefined) {
    to.number(OTHER);
    return to.text(JSON.stringify(result));
  }
  const { storeId, firstSequence, versions } = result;
  to.number(WRITTEN);
  to.text(storeId);
  to.number(firstSequence);
  to.text(versions.create.length + versions.replace.length === 0 ? "" : JSON.stringify(versions));
}

function readResult(from: SharedReader): AttemptResult {
  if (from.number() === OTHER) return JSON.parse(from.text());
  const storeId = from.text();
  const firstSequence = from.number();
  const versions = from.text();
  return {
    kind: "written",
    storeId,
    firstSequence,
    versions: versions === "" ? NO_VERSIONS : JSON.parse(versions),
  };
}

function listOf<T>(length: number, read: () => T): T[] {
  const list: T[] = [];
  for (let i = 0; i < length; i++) list.push(read());
  return list;
}
