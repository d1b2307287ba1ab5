import { ApiError } from "../../../model/errors.ts";
import type { StoredSubject } from "../../api/store.ts";
import type { MasterKeys } from "./master_keys.ts";
import { keyId } from "./subject_key.ts";

/** A subject as it is in a table. */
export interface SubjectRow {
  readonly id: string;
  readonly name: Uint8Array;
  readonly value: Uint8Array;
  /** undefined when the subject was forgotten, or the row of its key is missing. */
  readonly stored: Uint8Array | undefined;
  readonly forgottenMicros: number | undefined;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Returns a subject with its key. If a bit of it was changed, it says so instead of failing, so that a check names it.
 * @throws ApiError `Unavailable` when the master key is missing
 */
export function storedSubject(row: SubjectRow, masters: MasterKeys): StoredSubject {
  const { id, stored, forgottenMicros } = row;
  const found = { id, forgottenMicros };
  let key: Uint8Array | undefined;
  try {
    if (forgottenMicros === undefined) key = masters.unwrapped(id, stored ?? new Uint8Array());
    const subject = { name: strict.decode(row.name), value: strict.decode(row.value) };
    return { ...found, subject, key, isDamaged: key !== undefined && keyId(key) !== id };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const subject = { name: lenient.decode(row.name), value: lenient.decode(row.value) };
    return { ...found, subject, key: undefined, isDamaged: true };
  }
}

/** @throws Error that names a key which cannot be handed out, for its bytes, name or value were changed */
export function assertUsable({ id, key, isDamaged }: StoredSubject): void {
  // With bytes, its ID shows to every reader that they were changed.
  if (isDamaged && key === undefined) throw new Error(`the key ${id} of a subject is damaged`);
}
