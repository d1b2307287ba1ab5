import { platformCrypto } from "./platform_crypto.ts";

/*
 * AES-256-GCM as in NIST SP 800-38D. Each payload has a random nonce: a key may encrypt 2^32 of them, more than one
 * subject ever has.
 */

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Separates these keys from any other use of the same ones. */
const SEVERAL = "eventstore payload of several subjects";

/** Returns the key of a payload: that of its subject, or one that needs the keys of all of its subjects. */
export function payloadKey(keys: readonly Uint8Array[]): Uint8Array {
  const [only, second] = keys;
  if (only !== undefined && second === undefined) return only;
  const all = new Uint8Array(keys.reduce((length, key) => length + key.length, 0));
  let at = 0;
  for (const key of keys) {
    all.set(key, at);
    at += key.length;
  }
  return new Uint8Array(platformCrypto().hkdfSync("sha256", all, "", SEVERAL, 32));
}

/**
 * Encrypts a text.
 * @param about the text that it belongs to, without which it cannot be decrypted
 * @returns nonce, ciphertext and tag in Base64
 */
export function encrypt(key: Uint8Array, text: string, about: string): string {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const cipher = platformCrypto().createCipheriv(ALGORITHM, key, nonce);
  cipher.setAAD(encoder.encode(about));
  const encrypted: Uint8Array = cipher.update(encoder.encode(text));
  // A stream cipher: the end is empty.
  cipher.final();
  const data = new Uint8Array(NONCE_BYTES + encrypted.length + TAG_BYTES);
  data.set(nonce);
  data.set(encrypted, NONCE_BYTES);
  data.set(cipher.getAuthTag(), NONCE_BYTES + encrypted.length);
  return data.toBase64();
}

/**
 * The inverse of `encrypt`.
 * @param about in UTF-8
 * @returns the text in UTF-8
 * @throws Error when the key, the data or `about` is another one, even in one bit
 */
export function decrypt(key: Uint8Array, data: string, about: Uint8Array): Uint8Array {
  const { read, written } = decoded.setFromBase64(data);
  const bytes = read === data.length ? decoded.subarray(0, written) : Uint8Array.fromBase64(data);
  const tagAt = bytes.length - TAG_BYTES;
  if (tagAt < NONCE_BYTES) throw new Error("an encrypted payload is too short");
  const decipher = platformCrypto().createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(about);
  decipher.setAuthTag(bytes.subarray(tagAt));
  const text: Uint8Array = decipher.update(bytes.subarray(NONCE_BYTES, tagAt));
  decipher.final();
  return text;
}

/** Memory for the data of most payloads. */
const decoded = new Uint8Array(16 * 1024);

const encoder = new TextEncoder();
