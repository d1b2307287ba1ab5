import { openEvent } from "../../store/core/sealing/seal_event.ts";
import type { KeysById } from "../../store/core/sealing/sealed_lines.ts";
import type { ParsedLine } from "../../wire/event_line.ts";

/** Most events that are named; one is enough to know that the backup is damaged. */
const FAULTS_MAX = 3;

/** SealedCheck counts events with encrypted payloads, and decrypts them as far as there are keys. */
export class SealedCheck {
  readonly #keys: KeysById | undefined;
  readonly #forgotten: { has(id: string): boolean };
  readonly #opens: boolean;
  readonly #faults: string[] = [];
  #faultCount = 0;
  readonly #lacking: number[] = [];
  /** The number of events with encrypted payloads, and of those that were decrypted. */
  sealed = 0;
  opened = 0;
  /** The number of those with a forgotten key, and of others with a key that is not there. */
  forgotten = 0;
  lacking = 0;

  /**
   * @param keys undefined: encrypted payloads are only counted
   * @param forgotten the IDs of forgotten keys
   * @param opens false when it is enough to know which keys there are
   */
  constructor(keys?: KeysById, forgotten: { has(id: string): boolean } = new Set(), opens = true) {
    this.#keys = keys;
    this.#forgotten = forgotten;
    this.#opens = opens;
  }

  /** True when payloads are decrypted. */
  get isOpening(): boolean {
    return this.#keys !== undefined;
  }

  add(line: ParsedLine): void {
    const { sealed } = line;
    if (sealed === undefined) return;
    this.sealed++;
    const all = this.#keys;
    if (all === undefined) return;
    const ids = sealed.keys.map(([, id]) => id);
    if (ids.some((id) => this.#forgotten.has(id))) this.forgotten++;
    else if (ids.some((id) => !all.has(id))) this.#lack(line.sequence);
    else if (this.#opens) this.#open(line, ids.map((id) => all.get(id)!));
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

  /** Keys are verified by their IDs, so the event is at fault. */
  #open({ sequence, timeMicros, body, sealed }: ParsedLine, keys: readonly Uint8Array[]): void {
    try {
      openEvent({ timeMicros, body }, sealed!, keys);
      this.opened++;
    } catch {
      this.#faultCount++;
      if (this.#faults.length < FAULTS_MAX) {
        this.#faults.push(`the encrypted payload of event ${sequence} was changed, or the event around it`);
      }
    }
  }
}
