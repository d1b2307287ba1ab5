import { invalid } from "./decode.ts";
import { parseByHand } from "./parse_by_hand.ts";

/** No valid body is nested deeper than 7 levels. */
const NESTING_MAX = 32;

/** No valid object has more than 20 keys. */
const KEYS_PER_OBJECT_MAX = 100;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses a request body as exactly one JSON value: UTF-8 without a byte order mark, no duplicate keys in an object,
 * only whitespace around it. Objects keep a key called `__proto__` as their own.
 * @throws Refusal InvalidRequest
 */
export function parseJson(body: Uint8Array): unknown {
  // The native parser is many times faster than any other, but silent about duplicate keys, for one. So what it
  // cannot be trusted with is checked for before and after, and only if found is the text parsed by hand.
  const { memberCount, hasEscapedKey } = scan(body);
  const text = decodeText(body);
  const value = parse(text);
  const found = { keyCount: 0, hasTwoTo63: false };
  survey(value, found);
  const isTrusted = !hasEscapedKey && found.keyCount === memberCount && !found.hasTwoTo63;
  return isTrusted ? value : parseByHand(text);
}

/**
 * Counts the members of all objects, which is the colons outside strings, and refuses what makes the native
 * parser slow: deep nesting and objects of very many keys.
 */
function scan(body: Uint8Array): { memberCount: number; hasEscapedKey: boolean } {
  const keyCountAtDepth = new Uint32Array(NESTING_MAX + 1);
  let memberCount = 0;
  let depth = 0;
  let isEscaped = false; // the last string
  let hasEscapedKey = false;
  for (let i = 0; i < body.length; i++) {
    switch (body[i]) {
      case 0x22: // "
        isEscaped = false;
        for (i++; i < body.length && body[i] !== 0x22; i++) {
          if (body[i] !== 0x5c) continue; // backslash
          isEscaped = true;
          i++;
        }
        break;
      case 0x3a: // :
        memberCount++;
        hasEscapedKey ||= isEscaped;
        checkKeyCount(keyCountAtDepth[depth] = (keyCountAtDepth[depth] ?? 0) + 1);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > NESTING_MAX) throw invalid("", `body is nested deeper than ${NESTING_MAX} levels`);
        keyCountAtDepth[depth] = 0;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return { memberCount, hasEscapedKey };
}

function checkKeyCount(keyCount: number): void {
  if (keyCount <= KEYS_PER_OBJECT_MAX) return;
  throw invalid("", `body contains an object with more than ${KEYS_PER_OBJECT_MAX} keys`);
}

function decodeText(body: Uint8Array): string {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) {
    throw invalid("", "body starts with a byte order mark");
  }
  try {
    return decoder.decode(body);
  } catch {
    throw invalid("", "body is not valid UTF-8");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.toWellFormed() : "";
    throw invalid("", `body is not valid JSON: ${reason}`);
  }
}

function survey(value: unknown, found: { keyCount: number; hasTwoTo63: boolean }): void {
  if (typeof value === "number") {
    if (value === 2 ** 63) found.hasTwoTo63 = true;
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const element of value) survey(element, found);
    return;
  }
  const keys = Object.keys(value);
  found.keyCount += keys.length;
  for (const key of keys) survey((value as Record<string, unknown>)[key], found);
}
