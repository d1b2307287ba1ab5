import type { Tag } from "../../../model/tag.ts";
import { nowMicros } from "../../../time/clock.ts";
import { subjectsOf } from "../../../wire/sealed_event.ts";
import type { StoreWrite } from "../../api/write.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import { sealEvent } from "../../core/sealing/seal_event.ts";
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

/** The keys of the subjects in the writes of a transaction: the stored ones, those that it makes, and what it forgets. */
export class SubjectsInTransaction {
  readonly #names: ReadonlySet<string>;
  readonly #tokens = new Set<string>();
  /** By token. A subject that never had a key has none. */
  readonly #keys = new Map<string, PresentKey>();
  readonly #made = new Map<SubjectKey, MadeKey>();
  /** The time by token. */
  readonly #forgotten = new Map<string, number>();

  /** @param names the names of identifiers that stand for a person */
  constructor(writes: readonly StoreWrite[], names: ReadonlySet<string>) {
    this.#names = names;
    for (const { events, forget } of writes) {
      if (forget !== undefined) this.#tokens.add(subjectToken(forget));
      for (const { body } of events) {
        for (const subject of subjectsOf(body, names)) this.#tokens.add(subjectToken(subject));
      }
    }
  }

  /** Reads the keys of all subjects. */
  get question(): Statement | undefined {
    return this.#tokens.size === 0 ? undefined : readPresentKeys(this.#tokens);
  }

  /** @param rows the answer to `question` */
  know(rows: readonly Row[]): void {
    for (const [token, key] of presentKeys(rows)) this.#keys.set(token, key);
  }

  /** Encrypts the payload of an event that has subjects. */
  sealed(event: PreparedEvent): PreparedEvent {
    return sealEvent(event, this.#names, (subject) => this.#keyOf(subject));
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
    this.#keys.set(token, "forgotten");
    return true;
  }

  /** The statements that store the changes. */
  get statements(): Statement[] {
    return [...forgetSubjects(this.#forgotten), ...addKeys([...this.#made.values()])];
  }

  #keyOf(subject: Tag): SubjectKey {
    const token = subjectToken(subject);
    const present = this.#keys.get(token);
    if (present !== undefined && present !== "forgotten") return present;
    const key = newSubjectKey();
    this.#made.set(key, { subject, key, forgottenMicros: undefined });
    this.#keys.set(token, key);
    return key;
  }
}
