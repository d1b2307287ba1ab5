import type { JsonPath } from "./json_faults.ts";

/* The bytes with a meaning in a JSON text. In UTF-8 no part of another character equals one of them. */

/** A part of a JSON text. */
export interface JsonPart {
  readonly json: Uint8Array;
  readonly path: JsonPath;
}

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** Returns the index of the first byte from `at` that is not white space. */
export function skipSpace(json: Uint8Array, at: number): number {
  while (isSpace(json[at])) at++;
  return at;
}

/** Returns the text without the white space around it. */
export function trimmed(json: Uint8Array): Uint8Array {
  let end = json.length;
  while (isSpace(json[end - 1])) end--;
  return json.subarray(skipSpace(json, 0), end);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Returns the index after the string that begins at `at`, or the length of the text when the string does not end. */
export function stringEnd(json: Uint8Array, at: number): number {
  for (let i = at + 1; i < json.length; i++) {
    if (json[i] === QUOTE) return i + 1;
    if (json[i] === BACKSLASH) i++;
  }
  return json.length;
}

/** Returns the index of the comma or bracket after the value that begins at `at`, or the length of the text. */
export function valueEnd(json: Uint8Array, at: number): number {
  let depth = 0;
  for (let i = at; i < json.length; i++) {
    switch (json[i]) {
      case QUOTE:
        i = stringEnd(json, i) - 1;
        break;
      case COMMA:
        if (depth === 0) return i;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth++;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        if (depth-- === 0) return i;
        break;
    }
  }
  return json.length;
}
