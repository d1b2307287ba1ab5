import type { Tag } from "../../../model/tag.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import { LACKS_SUBJECTS } from "../../core/sealing/lacks_subjects.ts";
import { type MasterKeys, NO_MASTER_KEYS } from "../../core/sealing/master_keys.ts";
import { sealEvent } from "../../core/sealing/seal_event.ts";
import { newSubjectKey, type SubjectKey } from "../../core/sealing/subject_key.ts";
import { nowMicros } from "../../../time/clock.ts";
import type { Database } from "../connection/database.ts";
import {
  addKey,
  addSubjects,
  deleteSubjects,
  forgetSubject,
  hasSubjects,
  livingKey,
  wrappingsIn,
} from "../tables/subjects.ts";

/** About 300 bytes each. */
const KNOWN_MAX = 10_000;

/** SubjectKeys encrypts the payloads of subjects on their way into the store, and destroys keys. */
export class SubjectKeys {
  /** The IDs of the master keys with which keys were wrapped when the store was opened. */
  readonly wrappings: readonly string[];
  readonly masters: MasterKeys;
  readonly #db: Database;
  readonly #names: ReadonlySet<string>;
  /** The keys of the last subjects, by name and value. */
  readonly #known = new Map<string, SubjectKey>();

  private constructor(db: Database, names: readonly string[], masters: MasterKeys) {
    this.#db = db;
    this.#names = new Set(names);
    this.masters = masters;
    addSubjects(db);
    this.wrappings = wrappingsIn(db);
    const lacking = masters.lacking(this.wrappings);
    if (lacking !== undefined) throw new Error(lacking);
    // Otherwise bytes of a deleted row remain in its page. FAST writes no page for it that is not written anyway.
    db.all("PRAGMA secure_delete = FAST");
  }

  /**
   * @param names of the identifiers that stand for a person; none for a store without subjects
   * @throws Error when the store has subjects, and would no longer encrypt anything, or when a master key is missing
   */
  static of(db: Database, names: readonly string[], masters = NO_MASTER_KEYS): SubjectKeys | undefined {
    if (names.length > 0) return new SubjectKeys(db, names, masters);
    if (hasSubjects(db)) throw new Error(LACKS_SUBJECTS);
    return undefined;
  }

  /** Encrypts the payload of an event that has subjects, inside the open transaction. */
  sealed(event: PreparedEvent): PreparedEvent {
    return sealEvent(event, this.#names, (subject) => this.#keyOf(subject));
  }

  /** Destroys the keys of a subject. @returns undefined when it never had one, else whether it still had one */
  forget(subject: Tag): boolean | undefined {
    this.clear();
    return forgetSubject(this.#db, subject, nowMicros());
  }

  /** Destroys all keys, with all that is known of subjects. */
  deleteAll(): void {
    this.clear();
    deleteSubjects(this.#db);
  }

  /** Clears the memory of keys, as when the open transaction was undone. */
  clear(): void {
    this.#known.clear();
  }

  #keyOf(subject: Tag): SubjectKey {
    const text = `${subject.name}\0${subject.value}`;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const key = livingKey(this.#db, subject, this.masters) ?? this.#newKey(subject);
    if (this.#known.size >= KNOWN_MAX) this.clear();
    this.#known.set(text, key);
    return key;
  }

  #newKey(subject: Tag): SubjectKey {
    const key = newSubjectKey();
    addKey(this.#db, subject, key, this.masters);
    return key;
  }
}
