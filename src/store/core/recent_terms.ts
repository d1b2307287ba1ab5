import type { TermItem } from "./index_terms.ts";

/** The number of terms in one generation before the next one starts: about 10 MB. */
const GENERATION_TERMS_MAX = 50_000;

/** The most events that wait to be looked through. After so many without a condition, there may never be one. */
const WAITING_EVENTS_MAX = 2000;

interface WaitingEvent {
  readonly sequence: number;
  readonly terms: string;
}

/**
 * Remembers where each index term appeared last, for the events after `floor`. The writer proves most conditions with
 * it, without a search: an item cannot match if one of its required terms has not appeared since.
 *
 * Events are looked through only when a condition asks, since that costs a third of a bulk write. The terms found are
 * held in two generations, so that memory is bounded and the older half is forgotten at once.
 */
export class RecentTerms {
  /** Every event with a higher sequence is remembered. */
  #floor: number;
  #generationStart: number;
  #older = new Map<string, number>();
  #current = new Map<string, number>();
  #waiting: WaitingEvent[] = [];

  constructor(head: number) {
    this.#floor = head;
    this.#generationStart = head;
  }

  /** @param terms the event's index document */
  remember(sequence: number, terms: string): void {
    if (this.#waiting.length >= WAITING_EVENTS_MAX) this.clear(sequence - 1);
    this.#waiting.push({ sequence, terms });
  }

  /** Forgets everything, after a rollback or a reset. */
  clear(head: number): void {
    this.#floor = head;
    this.#generationStart = head;
    this.#older.clear();
    this.#current.clear();
    this.#waiting = [];
  }

  /** True when an event after `afterSequence` may match the item, as far as this memory knows. */
  mayMatchAfter(afterSequence: number, item: TermItem): boolean {
    if (this.#waiting.length > 0) this.#lookThrough();
    if (afterSequence < this.#floor) return true;
    const appeared = (term: string): boolean =>
      (this.#current.get(term) ?? this.#older.get(term) ?? 0) > afterSequence;
    return item.allOf.every(appeared) && (item.anyOf.length === 0 || item.anyOf.some(appeared));
  }

  #lookThrough(): void {
    for (const { sequence, terms } of this.#waiting) {
      if (this.#current.size >= GENERATION_TERMS_MAX) {
        this.#older = this.#current;
        this.#floor = this.#generationStart;
        this.#current = new Map();
        this.#generationStart = sequence - 1;
      }
      for (const term of terms.split(" ")) this.#current.set(term, sequence);
    }
    this.#waiting = [];
  }
}
