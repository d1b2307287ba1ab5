import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  type JsonPart,
  QUOTE,
  skipSpace,
  stringEnd,
  valueEnd,
} from "./json_bytes.ts";
import { notJson, repeatedKey } from "./json_faults.ts";

/*
 * Arrays and objects of so many values that building them at once would take many times the memory of their text.
 * Their values are built on demand, one at a time. So a decoder can count them first, and can stop at the first fault.
 */

/** Builds the value of a part. @throws ApiError InvalidRequest */
export type ParsePart = (part: JsonPart) => unknown;

export class LargeArray {
  readonly length: number;
  readonly #part: JsonPart;
  readonly #parse: ParsePart;

  /** @throws ApiError InvalidRequest when its commas and brackets are not in order */
  constructor(part: JsonPart, parse: ParsePart) {
    this.#part = part;
    this.#parse = parse;
    let length = 0;
    for (let at = firstElement(part, CLOSE_ARRAY); at < part.json.length; length++) {
      at = elementEnd(part, at, CLOSE_ARRAY) + 1;
    }
    this.length = length;
  }

  /** Returns index and value of each element. */
  *entries(): Generator<[number, unknown], void> {
    const { json, path } = this.#part;
    let start = 1;
    for (let index = 0; index < this.length; index++) {
      const end = elementEnd(this.#part, start, CLOSE_ARRAY);
      yield [index, this.#parse({ json: json.subarray(start, end), path: [...path, index] })];
      start = end + 1;
    }
  }

  map<T>(change: (element: unknown, index: number) => T): T[] {
    const changed: T[] = [];
    for (const [index, element] of this.entries()) changed.push(change(element, index));
    return changed;
  }
}

export class LargeObject {
  readonly #members = new Map<string, JsonPart>();
  readonly #parse: ParsePart;

  /** @throws ApiError InvalidRequest when it is not an object of distinct keys */
  constructor(part: JsonPart, parse: ParsePart) {
    this.#parse = parse;
    const { json, path } = part;
    for (let start = firstElement(part, CLOSE_OBJECT); start < json.length;) {
      const end = elementEnd(part, start, CLOSE_OBJECT);
      const keyStart = skipSpace(json, start);
      const keyEnd = stringEnd(json, keyStart);
      const colon = skipSpace(json, keyEnd);
      if (json[keyStart] !== QUOTE || json[colon] !== COLON) {
        throw notJson("a key and a colon are missing", path);
      }
      const key = parse({ json: json.subarray(keyStart, keyEnd), path }) as string;
      if (this.#members.has(key)) throw repeatedKey(key, path);
      this.#members.set(key, { json: json.subarray(colon + 1, end), path: [...path, key] });
      start = end + 1;
    }
  }

  keys(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** Returns the value of a key; undefined when there is none. */
  get(key: string): unknown {
    const part = this.#members.get(key);
    return part && this.#parse(part);
  }
}

/** Returns the index of the first element or member, or of the end of the part when there is none. */
function firstElement({ json, path }: JsonPart, close: number): number {
  const at = skipSpace(json, 1);
  if (at === json.length) throw notJson("it ends too early", path);
  return at === json.length - 1 && json[at] === close ? json.length : at;
}

/** Returns the index of the comma after the element or member at `at`, or of the bracket that closes the whole part. */
function elementEnd({ json, path }: JsonPart, at: number, close: number): number {
  const end = valueEnd(json, at);
  if (json[end] === COMMA && end < json.length - 1) return end;
  if (json[end] === close && end === json.length - 1) return end;
  throw notJson("brackets or commas are not in order", path);
}
