import { TAGS_PER_NAMESPACE_MAX } from "../model/limits.ts";
import { invalid } from "./invalid.ts";
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from "./json_bytes.ts";

/** No valid body is nested deeper than 7 levels. */
const NESTING_MAX = 32;

/** Facts about a JSON text, counted in its bytes before anything is built. */
export interface JsonScan {
  /** The members of all objects: the number of colons outside strings. */
  readonly memberCount: number;
  /** The commas and opening brackets outside strings, which is about the number of values. */
  readonly valueCount: number;
  /** True when a key may be written with an escape. */
  readonly hasEscapedKey: boolean;
}

/** The number of keys of each open object, reused for each text. */
const keyCountAtDepth = new Uint32Array(NESTING_MAX + 1);

/**
 * Counts members and values, and rejects texts that make the native parser slow: deep nesting, and objects of very
 * many keys.
 * @throws ApiError InvalidRequest
 */
export function scanJson(json: Uint8Array): JsonScan {
  keyCountAtDepth[0] = 0;
  let memberCount = 0;
  let valueCount = 0;
  let depth = 0;
  let isEscaped = false; // the last string
  let hasEscapedKey = false;
  for (let i = 0; i < json.length; i++) {
    switch (json[i]) {
      case QUOTE:
        isEscaped = false;
        for (i++; i < json.length && json[i] !== QUOTE; i++) {
          if (json[i] !== BACKSLASH) continue;
          isEscaped = true;
          i++;
        }
        break;
      case COMMA:
        valueCount++;
        break;
      case COLON:
        memberCount++;
        hasEscapedKey ||= isEscaped;
        checkKeyCount(keyCountAtDepth[depth] = (keyCountAtDepth[depth] ?? 0) + 1);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        valueCount++;
        if (++depth > NESTING_MAX) throw invalid("", `body is nested deeper than ${NESTING_MAX} levels`);
        keyCountAtDepth[depth] = 0;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
    }
  }
  return { memberCount, valueCount, hasEscapedKey };
}

/** Tags have the most keys of all valid objects. */
function checkKeyCount(keyCount: number): void {
  if (keyCount <= TAGS_PER_NAMESPACE_MAX) return;
  throw invalid("", `body contains an object with more than ${TAGS_PER_NAMESPACE_MAX} keys`);
}
