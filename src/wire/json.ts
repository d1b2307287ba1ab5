import { Buffer, isAscii } from "node:buffer";
import { invalid } from "./invalid.ts";
import { type JsonPart, OPEN_ARRAY, OPEN_OBJECT, trimmed } from "./json_bytes.ts";
import { type JsonPath, notJson } from "./json_faults.ts";
import { type JsonScan, scanJson } from "./json_scan.ts";
import { LargeArray, LargeObject } from "./large_json.ts";
import { parseByHand } from "./parse_by_hand.ts";

/** Arrays and objects with more values are built part by part, on demand. */
const VALUES_AT_ONCE_MAX = 4096;

/**
 * Larger bodies, and the lists in them, are also built part by part. Their items are not: the decoders limit those.
 */
const BYTES_AT_ONCE_MAX = 1024 * 1024;
const ITEM_DEPTH = 2;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses a request body as exactly one JSON value: UTF-8 without a byte order mark, no duplicate keys in an object,
 * only white space around it. Objects store a key called `__proto__` as their own. For a body of very many values the
 * result contains a LargeArray or LargeObject. Only the outermost brackets of those have been checked.
 * @param known the scan of the body, if the caller has made it already
 * @throws ApiError InvalidRequest
 */
export function parseJson(body: Uint8Array, known?: JsonScan): unknown {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) {
    throw invalid("", "body starts with a byte order mark");
  }
  if (body[0] === 0x1f && body[1] === 0x8b) {
    throw invalid("", "body is compressed (gzip): send it as it is, without Content-Encoding");
  }
  return parsePart({ json: body, path: [] }, known);
}

function parsePart({ json, path }: JsonPart, known?: JsonScan): unknown {
  // The native parser is many times faster than any other, but it ignores faults such as duplicate keys. Checks before
  // and after it detect the cases that it gets wrong. Only those texts are parsed by hand.
  const { memberCount, valueCount, hasEscapedKey } = known ?? scanJson(json);
  const isLong = json.length > BYTES_AT_ONCE_MAX && path.length < ITEM_DEPTH;
  if (valueCount > VALUES_AT_ONCE_MAX || isLong) {
    const part = { json: trimmed(json), path };
    if (part.json[0] === OPEN_ARRAY) return new LargeArray(part, parsePart);
    if (part.json[0] === OPEN_OBJECT) return new LargeObject(part, parsePart);
  }
  const text = decodeText(json);
  const value = parse(text, path);
  const found = { keyCount: 0, hasTwoTo63: false };
  countKeys(value, found);
  const isTrusted = !hasEscapedKey && found.keyCount === memberCount && !found.hasTwoTo63;
  return isTrusted ? value : parseByHand(text, path);
}

function decodeText(json: Uint8Array): string {
  // The check costs a tenth. Strings decoded like this take half the memory, also on their way to the writer.
  if (isAscii(json)) return Buffer.from(json.buffer, json.byteOffset, json.length).toString("latin1");
  try {
    return decoder.decode(json);
  } catch {
    throw invalid("", "body is not valid UTF-8");
  }
}

function parse(text: string, path: JsonPath): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.toWellFormed() : "";
    throw notJson(reason, path);
  }
}

function countKeys(value: unknown, found: { keyCount: number; hasTwoTo63: boolean }): void {
  if (typeof value === "number") {
    if (value === 2 ** 63) found.hasTwoTo63 = true;
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const element of value) countKeys(element, found);
    return;
  }
  const keys = Object.keys(value);
  found.keyCount += keys.length;
  for (const key of keys) countKeys((value as Record<string, unknown>)[key], found);
}
