import { sha256 } from "../../model/sha256.ts";
import type { Queried, QueryItem } from "../../model/query.ts";
import type { Tag } from "../../model/tag.ts";

/*
 * The tag index of a store lists the terms of each event. A term is a type, an identifier, or a metadata entry. Its
 * token is the first 128 bits of SHA-256 over an unambiguous encoding, in lower-case hex. So every term is one short
 * word, whatever the client wrote.
 */

const TOKEN_WORDS = 4;
const TOKEN_CHARACTERS = 32;
const DIGITS = new TextEncoder().encode("0123456789abcdef");
const SPACE = 0x20;

/** The memory in which tokens are joined, as bytes: one string made from all of them is cheaper than many pieces. */
let memory = new Uint8Array(64 * (TOKEN_CHARACTERS + 1));

const decoder = new TextDecoder();

/** Writes the token of a term at an index, and a space behind it. */
function putToken(place: number, text: string): void {
  const digest = sha256(text);
  let at = place * (TOKEN_CHARACTERS + 1);
  for (let i = 0; i < TOKEN_WORDS; i++) {
    for (let shift = 28; shift >= 0; shift -= 4) memory[at++] = DIGITS[(digest[i]! >>> shift) & 0xf]!;
  }
  memory[at] = SPACE;
}

/** Returns the first tokens in the memory. */
function takeTokens(count: number): string {
  return decoder.decode(memory.subarray(0, count * (TOKEN_CHARACTERS + 1) - 1));
}

/** The first 128 bits of SHA-256 over a text, in lower-case hex. */
export function tokenOf(text: string): string {
  putToken(0, text);
  return takeTokens(1);
}

/** Encodes a tag. The length before the name keeps ("ab", "c") and ("a", "bc") apart. */
function tagTerm(namespace: "i" | "m", tag: Tag): string {
  return `${namespace}${tag.name.length}:${tag.name}${tag.value}`;
}

/** The token of an identifier. */
export function identifierTerm(tag: Tag): string {
  return tokenOf(tagTerm("i", tag));
}

/** The token of a metadata entry. */
export function metadataTerm(tag: Tag): string {
  return tokenOf(tagTerm("m", tag));
}

function typeTerm(type: string): string {
  return `t${type}`;
}

/** The index document of an event: the tokens of its terms, separated by spaces. */
export function eventTerms({ type, identifiers, metadata }: Queried): string {
  const count = 1 + identifiers.length + metadata.length;
  if (memory.length < count * (TOKEN_CHARACTERS + 1)) {
    memory = new Uint8Array(count * (TOKEN_CHARACTERS + 1));
  }
  let place = 0;
  putToken(place++, typeTerm(type));
  for (const tag of identifiers) putToken(place++, tagTerm("i", tag));
  for (const tag of metadata) putToken(place++, tagTerm("m", tag));
  return takeTokens(count);
}

/** A query item in tokens: one of `anyOf` (unless it is empty) and all of `allOf`. */
export interface TermItem {
  readonly anyOf: readonly string[];
  readonly allOf: readonly string[];
}

export function termItem(item: QueryItem): TermItem {
  return {
    anyOf: item.types.map((type) => tokenOf(typeTerm(type))),
    allOf: [
      ...item.identifiers.map(identifierTerm),
      ...item.metadata.map(metadataTerm),
    ],
  };
}
