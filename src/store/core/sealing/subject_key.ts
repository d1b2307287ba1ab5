import { platformCrypto } from "./platform_crypto.ts";

/** The key of a subject, with which its payloads can be read. */
export interface SubjectKey {
  /** 16 characters of Base64 for URLs: the first 12 bytes of the SHA-256 of the key. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

const KEY_BYTES = 32;
const ID_BYTES = 12;

export function newSubjectKey(): SubjectKey {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return { id: keyId(bytes), bytes };
}

/** Returns the ID of a key. It identifies the key in every copy of the store, and shows if one of its bits changed. */
export function keyId(bytes: Uint8Array): string {
  const digest: Uint8Array = platformCrypto().createHash("sha256").update(bytes).digest();
  return digest.subarray(0, ID_BYTES).toBase64({ alphabet: "base64url" });
}
