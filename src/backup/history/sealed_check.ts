import type { Tag } from "../../model/tag.ts";
import { openEvent } from "../../store/core/sealing/seal_event.ts";
import type { ParsedLine } from "../../wire/event_line.ts";
import { isSubjectOf } from "../../wire/sealed_event.ts";

/** Most events that are named; one is enough to know that the backup is damaged. */
const FAULTS_MAX = 3;

/** Keys of subjects by their IDs. */
type Keys = ReadonlyMap<string, { readonly subject: Tag; readonly bytes: Uint8Array }>;
type Forgotten = ReadonlyMap<string, { readonly subject: Tag }>;

/** SealedCheck counts events with encrypted payloads, and decrypts them as far as there are keys. */
export class SealedCheck {
  readonly #keys: Keys | undefined;
  readonly #forgotten: Forgotten;
  readonly #opens: boolean;
  readonly #upTo: number;
  readonly #faults: string[] = [];
  #faultCount = 0;
  /** The IDs of keys whose subject was changed, each of which is named once. */
  readonly #misnamed = new Set<string>();
  readonly #lacking: number[] = [];
  /** The number of events with encrypted payloads, and of those that were decrypted. */
  sealed = 0;
  opened = 0;
  /** The number of those with a forgotten key, and of others with a key that is not there. */
  forgotten = 0;
  lacking = 0;

  /**
   * @param keys undefined: encrypted payloads are only counted
   * @param opens false when it is enough to know which keys there are
   * @param upTo the sequence after which events do not count
   */
  constructor(keys?: Keys, forgotten: Forgotten = new Map(), opens = true, upTo = Infinity) {
    this.#keys = keys;
    this.#forgotten = forgotten;
    this.#opens = opens;
    this.#upTo = upTo;
  }

  /** True when payloads are decrypted. */
  get isOpening(): boolean {
    return this.#keys !== undefined;
  }

  add(line: ParsedLine): void {
    const { sealed } = line;
    if (sealed === undefined || line.sequence > this.#upTo) return;
    this.sealed++;
    if (this.#opens) this.#compareSubjects(line);
    const all = this.#keys;
    if (all === undefined) return;
    const ids = sealed.keys.map(([, id]) => id);
    if (ids.some((id) => this.#forgotten.has(id))) this.forgotten++;
    else if (ids.some((id) => !all.has(id))) this.#lack(line.sequence);
    else if (this.#opens) this.#open(line, ids.map((id) => all.get(id)!.bytes));
  }

  /** The first events with a key that is not there. If an event was changed, it may be one of these. */
  get suspects(): readonly string[] {
    return this.#lacking.map((sequence) =>
      `event ${sequence} has a key that is neither in the file nor forgotten`
    );
  }

  /** The first faults, and how many more there are. */
  get faults(): readonly string[] {
    const more = this.#faultCount - this.#faults.length;
    return more === 0 ? this.#faults : [...this.#faults, `and ${more} more of them`];
  }

  #lack(sequence: number): void {
    this.lacking++;
    if (this.#lacking.length < FAULTS_MAX) this.#lacking.push(sequence);
  }

  /** With another name or value, the key of a person is not found when they are to be forgotten. */
  #compareSubjects({ sequence, event, sealed }: ParsedLine): void {
    for (const [name, id] of sealed!.keys) {
      const forgotten = this.#forgotten.get(id);
      const found = forgotten ?? this.#keys?.get(id);
      if (found === undefined || isSubjectOf(event.identifiers, name, found.subject)) continue;
      if (this.#misnamed.has(id)) continue;
      this.#misnamed.add(id);
      const place = forgotten === undefined ? "the file of keys" : "the list of forgotten keys";
      this.#addFault(
        `the name or value next to the key ${id} in ${place} was changed: it is not that of event ${sequence}`,
      );
    }
  }

  #addFault(fault: string): void {
    this.#faultCount++;
    if (this.#faults.length < FAULTS_MAX) this.#faults.push(fault);
  }

  /** Keys are verified by their IDs, so the event is at fault. */
  #open({ sequence, timeMicros, body, sealed }: ParsedLine, keys: readonly Uint8Array[]): void {
    try {
      openEvent({ timeMicros, body }, sealed!, keys);
      this.opened++;
    } catch {
      this.#addFault(`the encrypted payload of event ${sequence} was changed, or the event around it`);
    }
  }
}
