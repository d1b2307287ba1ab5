import type { Tag } from "../../../model/tag.ts";
import { nowMicros } from "../../../time/clock.ts";
import { subjectsOf } from "../../../wire/sealed_event.ts";
import type { StoreWrite } from "../../api/write.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import type { MasterKeys } from "../../core/sealing/master_keys.ts";
import { sealFor } from "../../core/sealing/seal_event.ts";
import { newSubjectKey, type SubjectKey } from "../../core/sealing/subject_key.ts";
import type { Row } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";
import {
  addKeys,
  forgetSubjects,
  type MadeKey,
  type PresentKey,
  presentKeys,
  readPresentKeys,
  subjectToken,
} from "../tables/subjects.ts";
import type { RecentKeys } from "./recent_keys.ts";

/** A subject, and the token by which its rows are found. */
interface FoundSubject extends Tag {
  readonly token: string;
}

/** The keys of the subjects in the writes of a transaction: the stored ones, those that it makes, and what it forgets. */
export class SubjectsInTransaction {
  /** Keys of earlier transactions, and those that this one has made. */
  readonly #recent: RecentKeys;
  readonly #masters: MasterKeys;
  /** True when some keys are from an earlier transaction. */
  readonly assumesKeys: boolean;
  readonly #subjects = new Map<PreparedEvent, readonly FoundSubject[]>();
  readonly #asked = new Set<string>();
  /** By token. A subject that never had a key has none. */
  readonly #keys = new Map<string, PresentKey>();
  readonly #made = new Map<SubjectKey, MadeKey>();
  /** The time by token. */
  readonly #forgotten = new Map<string, number>();

  /** @param names the names of identifiers that stand for a person */
  constructor(
    writes: readonly StoreWrite[],
    names: ReadonlySet<string>,
    recent: RecentKeys,
    masters: MasterKeys,
  ) {
    this.#recent = recent;
    this.#masters = masters;
    for (const { events, forget } of writes) {
      if (forget !== undefined) this.#find(subjectToken(forget));
      for (const event of events) {
        const subjects = subjectsOf(event.body, names).map(foundSubject);
        this.#subjects.set(event, subjects);
        for (const { token } of subjects) this.#find(token);
      }
    }
    this.assumesKeys = this.#keys.size > 0;
  }

  /** Reads the keys that are not known. */
  get question(): Statement | undefined {
    return this.#asked.size === 0 ? undefined : readPresentKeys(this.#asked);
  }

  /** @param rows the answer to `question` */
  know(rows: readonly Row[]): void {
    for (const [token, key] of presentKeys(rows, this.#masters)) this.#set(token, key);
  }

  /** Encrypts the payload of an event that has subjects. */
  sealed(event: PreparedEvent): PreparedEvent {
    return sealFor(event, this.#subjects.get(event)!, (subject) => this.#keyOf(subject));
  }

  /** Destroys the keys of a subject. @returns undefined when it never had one, else whether it still had one */
  forget(subject: Tag): boolean | undefined {
    const token = subjectToken(subject);
    const key = this.#keys.get(token);
    if (key === undefined || key === "forgotten") return key && false;
    const micros = nowMicros();
    const made = this.#made.get(key);
    if (made === undefined) this.#forgotten.set(token, micros);
    else made.forgottenMicros = micros;
    this.#set(token, "forgotten");
    return true;
  }

  /** The statements that store the changes. */
  get statements(): Statement[] {
    return [...forgetSubjects(this.#forgotten), ...addKeys([...this.#made.values()], this.#masters)];
  }

  #find(token: string): void {
    const recent = this.#recent.get(token);
    if (recent === undefined) this.#asked.add(token);
    else this.#keys.set(token, recent);
  }

  #keyOf({ name, value, token }: FoundSubject): SubjectKey {
    const present = this.#keys.get(token);
    if (present !== undefined && present !== "forgotten") return present;
    const key = newSubjectKey();
    this.#made.set(key, { subject: { name, value }, key, forgottenMicros: undefined });
    this.#set(token, key);
    return key;
  }

  #set(token: string, key: PresentKey): void {
    this.#keys.set(token, key);
    this.#recent.remember(token, key);
  }
}

function foundSubject({ name, value }: Tag): FoundSubject {
  return { name, value, token: subjectToken({ name, value }) };
}
