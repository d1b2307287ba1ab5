import type { Tag } from "../../model/tag.ts";
import { formatTimestamp, parseTimestamp } from "../../model/timestamp.ts";
import { keyId } from "../../store/core/sealing/subject_key.ts";

/** A key of a subject, with which its payloads can be read. */
export interface KeptKey {
  readonly id: string;
  readonly subject: Tag;
  readonly bytes: Uint8Array;
}

/** A key that a subject had before it was forgotten. */
export interface ForgottenKey {
  readonly id: string;
  readonly subject: Tag;
  /** In microseconds since 1970. */
  readonly forgottenMicros: number;
}

const KEY_BYTES = 32;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the line of a key, as `GET /subjects/keys` sends it. */
export function keyLine({ id, subject: { name, value }, bytes }: KeptKey): string {
  return `${JSON.stringify({ id, name, value, key: bytes.toBase64() })}\n`;
}

/** Returns the line of a forgotten key, as `GET /subjects/forgotten` sends it. */
export function forgottenLine({ id, subject: { name, value }, forgottenMicros }: ForgottenKey): string {
  return `${JSON.stringify({ id, name, value, forgotten: formatTimestamp(forgottenMicros) })}\n`;
}

/**
 * Decodes the line of a key.
 * @param line with its line feed
 * @throws Error that says what is wrong with it, without the key
 */
export function decodeKeyLine(line: Uint8Array): KeptKey {
  const { id, subject, rest: { key } } = decodeLine(line);
  const bytes = typeof key === "string" ? bytesIn(key) : undefined;
  if (bytes?.length !== KEY_BYTES) throw new Error(`the key ${id} is not ${KEY_BYTES} bytes in Base64`);
  if (keyId(bytes) !== id) throw new Error(`the key ${id} was changed: its ID is not the hash of its bytes`);
  return sameAs(line, { id, subject, bytes }, keyLine);
}

/** Decodes the line of a forgotten key. @throws Error that says what is wrong with it */
export function decodeForgottenLine(line: Uint8Array): ForgottenKey {
  const { id, subject, rest: { forgotten } } = decodeLine(line);
  const micros = typeof forgotten === "string" ? parseTimestamp(forgotten) : undefined;
  if (micros === undefined) throw new Error(`it does not say when the key ${id} was forgotten`);
  return sameAs(line, { id, subject, forgottenMicros: Number(micros) }, forgottenLine);
}

interface SubjectLine {
  readonly id: string;
  readonly subject: Tag;
  readonly rest: Readonly<Record<string, unknown>>;
}

const KEY_ID = /^[A-Za-z0-9_-]{16}$/;

function decodeLine(line: Uint8Array): SubjectLine {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(line));
  } catch {
    throw new Error("it is not the line of a subject");
  }
  const { id, name, value: text, ...rest } = (value ?? {}) as Record<string, unknown>;
  if (typeof id !== "string" || !KEY_ID.test(id)) throw new Error("it has no ID of a key");
  if (typeof name !== "string" || typeof text !== "string") throw new Error(`the key ${id} has no subject`);
  return { id, subject: { name, value: text }, rest };
}

/** Only the exact text that the program writes is accepted. */
function sameAs<Item extends { readonly id: string }>(
  line: Uint8Array,
  item: Item,
  lineOf: (item: Item) => string,
): Item {
  if (lineOf(item) === decoder.decode(line)) return item;
  throw new Error(`the line of the key ${item.id} is not in the form that this program writes`);
}

function bytesIn(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return undefined;
  }
}
