import { sha256 } from "../model/sha256.ts";
import type { Queried, QueryItem } from "../model/query.ts";
import type { Tag } from "../model/tag.ts";

/*
 * The tag index of a store lists the terms of each event. A term is a type, an identifier, or a metadata entry;
 * its token is the first 128 bits of SHA-256 over an unambiguous encoding, in lower-case hex, so that every term
 * is one short word whatever the client wrote.
 */

/** Two hexadecimal digits for each byte. */
const DIGITS: readonly string[] = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, "0"));

function tokenOf(text: string): string {
  const [a, b, c, d] = sha256(text);
  return digitsOf(a!) + digitsOf(b!) + digitsOf(c!) + digitsOf(d!);
}

function digitsOf(word: number): string {
  return DIGITS[word >>> 24]! + DIGITS[(word >>> 16) & 0xff]! + DIGITS[(word >>> 8) & 0xff]! +
    DIGITS[word & 0xff]!;
}

/** The length before the name keeps ("ab", "c") and ("a", "bc") apart. */
function tagToken(namespace: "i" | "m", tag: Tag): string {
  return tokenOf(`${namespace}${tag.name.length}:${tag.name}${tag.value}`);
}

function typeToken(type: string): string {
  return tokenOf(`t${type}`);
}

/** The index document of an event: the tokens of its terms, separated by spaces. */
export function eventTerms(event: Queried): string {
  let terms = typeToken(event.type);
  for (const tag of event.identifiers) terms += ` ${tagToken("i", tag)}`;
  for (const tag of event.metadata) terms += ` ${tagToken("m", tag)}`;
  return terms;
}

/** A query item in tokens: one of `anyOf` (unless it is empty) and all of `allOf`. */
export interface TermItem {
  readonly anyOf: readonly string[];
  readonly allOf: readonly string[];
}

export function termItem(item: QueryItem): TermItem {
  return {
    anyOf: item.types.map(typeToken),
    allOf: [
      ...item.identifiers.map((tag) => tagToken("i", tag)),
      ...item.metadata.map((tag) => tagToken("m", tag)),
    ],
  };
}
