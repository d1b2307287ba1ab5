import { platformCrypto } from "./platform_crypto.ts";

/*
 * AES-256-GCM as in NIST SP 800-38D. Each nonce is random: a key may encrypt 2^32 payloads or keys, more than one subject
 * or one master key ever has.
 */

const ALGORITHM = "aes-256-gcm";
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/**
 * Encrypts bytes.
 * @param about the bytes that they belong to, without which they cannot be decrypted
 * @returns nonce, ciphertext and tag
 */
export function encryptBytes(key: Uint8Array, plain: Uint8Array, about: Uint8Array): Uint8Array {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const cipher = platformCrypto().createCipheriv(ALGORITHM, key, nonce);
  cipher.setAAD(about);
  const encrypted: Uint8Array = cipher.update(plain);
  // A stream cipher: the end is empty.
  cipher.final();
  const data = new Uint8Array(NONCE_BYTES + encrypted.length + TAG_BYTES);
  data.set(nonce);
  data.set(encrypted, NONCE_BYTES);
  data.set(cipher.getAuthTag(), NONCE_BYTES + encrypted.length);
  return data;
}

/**
 * The inverse of `encryptBytes`.
 * @throws Error when the key, the data or `about` is another one, even in one bit
 */
export function decryptBytes(key: Uint8Array, data: Uint8Array, about: Uint8Array): Uint8Array {
  const tagAt = data.length - TAG_BYTES;
  if (tagAt < NONCE_BYTES) throw new Error("an encrypted payload is too short");
  const decipher = platformCrypto().createDecipheriv(ALGORITHM, key, data.subarray(0, NONCE_BYTES));
  decipher.setAAD(about);
  decipher.setAuthTag(data.subarray(tagAt));
  const plain: Uint8Array = decipher.update(data.subarray(NONCE_BYTES, tagAt));
  decipher.final();
  return plain;
}
