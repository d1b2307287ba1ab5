import { decryptBytes, encryptBytes } from "./aes_gcm.ts";
import { platformCrypto } from "./platform_crypto.ts";

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
  return encryptBytes(key, encoder.encode(text), encoder.encode(about)).toBase64();
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
  return decryptBytes(key, bytes, about);
}

/** Memory for the data of most payloads. */
const decoded = new Uint8Array(16 * 1024);

const encoder = new TextEncoder();
