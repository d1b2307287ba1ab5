import { UsageError } from "../../config/config_error.ts";
import type { StoredSubject } from "../../store/api/store.ts";
import { SealedCheck } from "../history/sealed_check.ts";
import { countEvents } from "../reports/count_events.ts";
import { type ForgottenKeys, forgottenPath, readForgottenList, readForgottenOf } from "./forgotten_list.ts";
import { readKeysFile } from "./keys_file.ts";
import type { ForgottenKey, KeptKey } from "./subject_lines.ts";

/** The flags of a restore or an import. */
export interface KeyOptions {
  /** The file of keys. */
  readonly keys: string | undefined;
  /** True when encrypted payloads may stay unreadable. */
  readonly withoutKeys: boolean;
  /** Files with further lists of what was forgotten. */
  readonly forgotten: readonly string[];
}

/** The subjects of a new store: keys in use, and what was forgotten. */
export interface RestoredSubjects {
  readonly keys: readonly KeptKey[];
  readonly forgotten: readonly ForgottenKey[];
}

const CHOICE = "give --keys, or --without-keys to leave these payloads unreadable";

/**
 * @param finding says that payloads are encrypted
 * @throws Error unless the flags say what becomes of them
 */
export function assertKeysChosen(finding: string, { keys, withoutKeys }: KeyOptions): void {
  if (keys === undefined && !withoutKeys) throw new Error(`${finding}: ${CHOICE}`);
}

/** @throws UsageError */
export function rejectBothChoices({ keys, withoutKeys }: KeyOptions): void {
  if (keys !== undefined && withoutKeys) {
    throw new UsageError(["--keys and --without-keys cannot be given together"]);
  }
}

/**
 * Reads the keys and the lists for a restore. A forgotten key is never among the keys, whatever the file of keys holds.
 * @param storeId the store that is restored
 * @throws Error also when there are keys, and no list that says which of them were forgotten
 */
export function subjectsOfBackup(dataDir: string, storeId: string, options: KeyOptions): RestoredSubjects {
  const own = readForgottenOf(dataDir, storeId);
  if (options.keys !== undefined && own === undefined && options.forgotten.length === 0) {
    throw new Error(`${forgottenPath(dataDir, storeId)} is missing: it says who was forgotten; ${LIST}`);
  }
  return withoutForgotten(keysIn(options, storeId), listsIn(options, own));
}

/** Does the same for an import of a file, which does not name its store before its end. */
export function subjectsOfImport(options: KeyOptions): RestoredSubjects {
  if (options.keys !== undefined && options.forgotten.length === 0) {
    throw new UsageError([`--keys needs a list of those who were forgotten; ${LIST}`]);
  }
  return withoutForgotten(keysIn(options, undefined), listsIn(options, undefined));
}

const LIST = "name one with --forgotten, as GET /subjects/forgotten sends it or as it is next to a backup";

function keysIn({ keys: path }: KeyOptions, storeId: string | undefined): readonly KeptKey[] {
  if (path === undefined) return [];
  const file = readKeysFile(path);
  if (storeId === undefined || file.storeId === storeId) return file.keys;
  throw new Error(`${path} has the keys of store ${file.storeId}, not of ${storeId}`);
}

function listsIn({ forgotten }: KeyOptions, own: ForgottenKeys | undefined): ForgottenKeys {
  return new Map([...own ?? [], ...forgotten.flatMap((path) => [...readForgottenList(path)])]);
}

function withoutForgotten(keys: readonly KeptKey[], forgotten: ForgottenKeys): RestoredSubjects {
  return {
    keys: keys.filter(({ id }) => !forgotten.has(id)),
    forgotten: [...forgotten.values()],
  };
}

/** Returns the subjects for a store. Those that were forgotten come first: the last key of a subject is the one in use. */
export function storedSubjects({ keys, forgotten }: RestoredSubjects): StoredSubject[] {
  const isDamaged = false;
  return [
    ...forgotten.map((gone) => ({ ...gone, key: undefined, isDamaged })),
    ...keys.map(({ id, subject, bytes }) => ({
      id,
      subject,
      key: bytes,
      forgottenMicros: undefined,
      isDamaged,
    })),
  ];
}

/** Returns what counts the events, up to a sequence, that will be unreadable for lack of a key. */
export function keyCheckOf({ keys, forgotten }: RestoredSubjects, upTo?: number): SealedCheck {
  return new SealedCheck(byId(keys), byId(forgotten), false, upTo);
}

function byId<Key extends { readonly id: string }>(keys: readonly Key[]): ReadonlyMap<string, Key> {
  return new Map(keys.map((key) => [key.id, key]));
}

/** Returns a line about the subjects of a new store; an empty text when there are none. */
export function subjectsText(
  { keys, forgotten }: RestoredSubjects,
  { sealed, lacking }: SealedCheck,
): string {
  if (keys.length + forgotten.length + sealed === 0) return "";
  const unreadable = lacking === 0 ? "" : `; ${countEvents(lacking)} unreadable for lack of a key`;
  return `keys of subjects: ${keys.length} in use, ${forgotten.length} forgotten${unreadable}`;
}
