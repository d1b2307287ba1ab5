import { ApiError } from "../../../model/errors.ts";
import { decryptBytes, encryptBytes, NONCE_BYTES, TAG_BYTES } from "./aes_gcm.ts";
import { platformCrypto } from "./platform_crypto.ts";
import type { SubjectKey } from "./subject_key.ts";

/*
 * The stored form of a subject's key: the ID of the master key, the nonce, the key encrypted with AES-256-GCM, and the
 * tag. A key that is not wrapped has zeros around it. All have one size, so that a file overwrites them in place.
 */

export const ID_BYTES = 8;
const KEY_AT = ID_BYTES + NONCE_BYTES;
const TAG_AT = KEY_AT + 32;
export const STORED_BYTES: number = TAG_AT + TAG_BYTES;

/** In place of the ID of a master key when there is none. */
const NOT_WRAPPED = "0".repeat(2 * ID_BYTES);

interface MasterKey {
  /** In hexadecimal: the first 8 bytes of the SHA-256 of the key. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** Wraps keys of subjects with the first master key, and unwraps those of all. Without any, it does neither. */
export class MasterKeys {
  readonly #all: readonly MasterKey[];

  /** @param inBase64 keys of 32 bytes */
  constructor(inBase64: readonly string[] = []) {
    this.#all = inBase64.map(masterKey);
  }

  /** The ID of the master key that wraps; undefined when there is none. */
  get first(): string | undefined {
    return this.#all[0]?.id;
  }

  /** Returns the stored form of a key. */
  wrapped({ id, bytes }: SubjectKey): Uint8Array {
    const stored = new Uint8Array(STORED_BYTES);
    const [master] = this.#all;
    if (master === undefined) {
      stored.set(bytes, KEY_AT);
      return stored;
    }
    stored.setFromHex(master.id);
    stored.set(encryptBytes(master.bytes, bytes, encoder.encode(id)), ID_BYTES);
    return stored;
  }

  /**
   * The inverse of `wrapped`.
   * @param id that of the key
   * @throws ApiError `Unavailable` when its master key is missing, Error when a bit of it was changed
   */
  unwrapped(id: string, stored: Uint8Array): Uint8Array {
    if (stored.length !== STORED_BYTES) throw new Error(damaged(id));
    const wrappedWith = wrappingOf(stored);
    if (wrappedWith === NOT_WRAPPED) return stored.subarray(KEY_AT, TAG_AT);
    const master = this.#all.find((key) => key.id === wrappedWith);
    if (master === undefined) throw new ApiError("Unavailable", lacksText([wrappedWith]));
    try {
      // A copy, since a part of a `Buffer` shares its memory.
      return new Uint8Array(decryptBytes(master.bytes, stored.subarray(ID_BYTES), encoder.encode(id)));
    } catch {
      throw new Error(damaged(id));
    }
  }

  /** Returns a stored key wrapped with the first master key; undefined if it is, or if there is no master key. */
  rewrapped(id: string, stored: Uint8Array): Uint8Array | undefined {
    if (this.first === undefined || wrappingOf(stored) === this.first) return undefined;
    return this.wrapped({ id, bytes: this.unwrapped(id, stored) });
  }

  /**
   * Returns why these keys cannot all be unwrapped, as the end of a sentence; undefined when they can.
   * @param wrappings the IDs of master keys, as stored keys begin with them, in hexadecimal
   */
  lacking(wrappings: readonly string[]): string | undefined {
    const known = [NOT_WRAPPED, ...this.#all.map(({ id }) => id)];
    const missing = wrappings.filter((id) => !known.includes(id));
    return missing.length === 0 ? undefined : lacksText(missing);
  }
}

/** Keys that are not wrapped, as in a new store whose server has not started yet. */
export const NO_MASTER_KEYS: MasterKeys = new MasterKeys();

/** The line for the log when all keys of a store are wrapped anew. */
export function wrappedText(keys: number, masterKeyId: string): string {
  return `all keys of subjects (${keys}) are wrapped with the master key ${masterKeyId}; earlier ones can be removed`;
}

function masterKey(inBase64: string): MasterKey {
  const bytes = Uint8Array.fromBase64(inBase64);
  const digest: Uint8Array = platformCrypto().createHash("sha256").update(bytes).digest();
  return { id: digest.subarray(0, ID_BYTES).toHex(), bytes };
}

/** Returns the ID of the master key with which a key is wrapped; zeros when it is not. */
function wrappingOf(stored: Uint8Array): string {
  return stored.subarray(0, ID_BYTES).toHex();
}

function lacksText(ids: readonly string[]): string {
  return `keys of its subjects are wrapped with the master key ${ids.join(" and ")}, ` +
    "which neither masterKeyFile nor masterKey has";
}

function damaged(id: string): string {
  return `the key ${id} of a subject is damaged`;
}

const encoder = new TextEncoder();
