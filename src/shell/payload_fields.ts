import type { StoredEvent } from "../../client/mod.ts";
import { versionOf } from "../../client/schemas/codec.ts";
import { partPath, ROOT } from "../../client/schemas/payload_path.ts";

/* Payloads of clients may have any keys, such as IDs. So the number of fields and types in memory is limited. */

/** The most types that are counted, each version of a type as one. */
export const TYPES_MAX = 1000;
/** The most fields of each of them. */
export const FIELDS_MAX = 200;
/** A field with a longer path is not counted. */
const PATH_CHARACTERS_MAX = 300;

/** A field that payloads of a type have. */
export interface PayloadField {
  /** Such as `payload.items[].price`. */
  readonly path: string;
  /** The number of events whose payload has it. */
  readonly count: number;
  /** The types that its values have in JSON; `text` for a payload that is not JSON. */
  readonly types: readonly string[];
}

/** The events of one type and version. */
export interface TypeFields {
  readonly type: string;
  readonly version: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly firstTime: string;
  readonly lastTime: string;
  /** The number of events whose payload was forgotten; omitted without any. */
  readonly forgotten?: number;
  readonly fields: readonly PayloadField[];
  /** True when there are more fields than these. */
  readonly moreFields?: true;
}

interface CountedField {
  count: number;
  /** The last event that has it. An array may have a field often, and the event counts once. */
  last: number;
  readonly types: Set<string>;
}

/** The fields of one type and version. */
class FieldCounts {
  readonly #fields = new Map<string, CountedField>();
  #hasMore = false;

  /** Counts a value and its parts. */
  addValue(path: string, value: unknown, sequence: number): void {
    if (!this.add(path, jsonTypeOf(value), sequence)) return;
    if (Array.isArray(value)) {
      for (const part of value) this.addValue(`${path}[]`, part, sequence);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, part] of Object.entries(value)) this.addValue(partPath(path, key), part, sequence);
    }
  }

  /** @returns false when the field is not one of those that are counted */
  add(path: string, type: string, sequence: number): boolean {
    let field = this.#fields.get(path);
    if (field === undefined) {
      if (this.#fields.size === FIELDS_MAX || path.length > PATH_CHARACTERS_MAX) {
        this.#hasMore = true;
        return false;
      }
      field = { count: 0, last: 0, types: new Set() };
      this.#fields.set(path, field);
    }
    if (field.last !== sequence) field.count++;
    field.last = sequence;
    field.types.add(type);
    return true;
  }

  /** The fields in the order in which they were first seen. */
  result(): Pick<TypeFields, "fields" | "moreFields"> {
    const fields = [...this.#fields].map(([path, { count, types }]) => ({ path, count, types: [...types] }));
    return { fields, ...(this.#hasMore ? { moreFields: true } : {}) };
  }
}

interface CountedType extends Omit<TypeFields, "fields" | "moreFields" | "forgotten"> {
  count: number;
  last: number;
  lastTime: string;
  forgotten: number;
  readonly fieldCounts: FieldCounts;
}

/** Counts events by type and version, and the fields of their payloads. */
export class StoredTypes {
  readonly #types = new Map<string, CountedType>();
  /** The number of events of further types. */
  left = 0;

  /** @param withFields false to ignore payloads */
  add({ sequence, time, type, metadata, payload, forgotten }: StoredEvent, withFields: boolean): void {
    const version = versionOf(metadata);
    const key = JSON.stringify([type, version]);
    let counted = this.#types.get(key);
    if (counted === undefined) {
      if (this.#types.size === TYPES_MAX) {
        this.left++;
        return;
      }
      const begun = { count: 0, first: sequence, last: sequence, firstTime: time, lastTime: time };
      counted = { type, version, ...begun, forgotten: 0, fieldCounts: new FieldCounts() };
      this.#types.set(key, counted);
    }
    counted.count++;
    counted.last = sequence;
    counted.lastTime = time;
    if (forgotten !== undefined) counted.forgotten++;
    else if (withFields) addPayload(counted.fieldCounts, String(payload), sequence);
  }

  /** The most frequent first. */
  result(): TypeFields[] {
    return [...this.#types.values()].sort((a, b) => b.count - a.count).map(
      ({ forgotten, fieldCounts, ...rest }) => ({
        ...rest,
        ...(forgotten > 0 ? { forgotten } : {}),
        ...fieldCounts.result(),
      }),
    );
  }
}

function addPayload(counts: FieldCounts, text: string, sequence: number): void {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    counts.add(ROOT, "text", sequence);
    return;
  }
  counts.addValue(ROOT, payload, sequence);
}

function jsonTypeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
