import type { Tag } from "../model/tag.ts";
import { parseQueried, PAYLOAD } from "./event.ts";

/*
 * The stored form of an event with an encrypted payload, and what a read gives when a key of it is gone. Both differ
 * from a text of `eventBody` only in their end: the payload is empty, and one more key follows it.
 */

/** An encrypted payload, as it is stored. */
export interface SealedPayload {
  /** The name of each subject and the ID of its key, in the order of the event's identifiers. */
  readonly keys: readonly (readonly [name: string, keyId: string])[];
  /** Nonce, ciphertext and tag, in Base64. */
  readonly data: string;
}

/** Strings escape their quotes, so this text occurs only in sealed events. */
export const SEALED: string = `${PAYLOAD}"","sealed":`;

/** Divides a text of `eventBody` at its payload, which is JSON text. */
export function splitBody(body: string): { readonly tags: string; readonly payload: string } {
  const end = body.indexOf(PAYLOAD);
  return { tags: body.slice(0, end + 1), payload: body.slice(end + PAYLOAD.length) };
}

/** Returns the body of a sealed event. @param tags its text up to the payload */
export function sealedBody(tags: string, { keys, data }: SealedPayload): string {
  return `${tags.slice(0, -1)}${SEALED}${JSON.stringify({ keys, data })}`;
}

/** Returns the end of a body whose payload was forgotten, from the payload on. */
export function forgottenEnd(names: readonly string[]): string {
  return `"","forgotten":${JSON.stringify(names)}`;
}

/** Returns the identifiers of an event that stand for a person, in its order. @param body a text of `eventBody` */
export function subjectsOf(body: string, names: ReadonlySet<string>): readonly Tag[] {
  return parseQueried(body).identifiers.filter(({ name }) => names.has(name));
}

/** True when a subject is the one with this name of an event with these identifiers. */
export function isSubjectOf(identifiers: readonly Tag[], name: string, subject: Tag): boolean {
  return subject.name === name &&
    identifiers.some((tag) => tag.name === name && tag.value === subject.value);
}

/** The payload of an event whose payload is encrypted, next to it. */
export const PAYLOAD_OF_SEALED = "";

const KEY_ID = /^[A-Za-z0-9_-]{16}$/;

/** Nonce and tag, and the two quotes of an empty payload. */
const DATA_BYTES_MIN = 12 + 16 + 2;

/**
 * Decodes the value of `sealed`.
 * @param identifiers of the event
 * @throws Error that says what is wrong with it
 */
export function decodeSealed(value: unknown, identifiers: readonly Tag[]): SealedPayload {
  const { keys, data, ...others } = (value ?? {}) as Record<string, unknown>;
  if (!isKeyList(keys, identifiers)) throw new Error("the keys of sealed are not those of its subjects");
  if (typeof data !== "string" || !isEncrypted(data) || Object.keys(others).length > 0) {
    throw new Error("sealed is not an encrypted payload");
  }
  return { keys, data };
}

/** Each subject has one key, in the order of the identifiers. Others have none. */
function isKeyList(keys: unknown, identifiers: readonly Tag[]): keys is SealedPayload["keys"] {
  if (!Array.isArray(keys) || keys.length === 0) return false;
  let at = 0;
  return keys.every((key) => {
    if (!Array.isArray(key) || key.length !== 2 || !KEY_ID.test(String(key[1]))) return false;
    at = identifiers.findIndex(({ name }, i) => i >= at && name === key[0]) + 1;
    return at > 0;
  });
}

/** True for Base64 as the server writes it. The decoder alone would skip white space. */
function isEncrypted(data: string): boolean {
  try {
    const { length } = Uint8Array.fromBase64(data, { lastChunkHandling: "strict" });
    return length >= DATA_BYTES_MIN && data.length === Math.ceil(length / 3) * 4;
  } catch {
    return false;
  }
}
