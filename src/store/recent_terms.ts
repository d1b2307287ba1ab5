import type { TermItem } from "./tag_index.ts";

/** Terms that one generation holds before the next one starts: some 10 MB. */
const GENERATION_TERMS_MAX = 50_000;

/**
 * The writer's memory of where each index term appeared last, for the events after `floor`. It proves most
 * conditions without SQL: an item of which a required term has not appeared since can't match.
 * Kept in two generations, so that it is bounded and forgets the oldest half at once.
 */
export class RecentTerms {
  /** Every event with a higher sequence is remembered. */
  #floor: number;
  #generationStart: number;
  #older = new Map<string, number>();
  #current = new Map<string, number>();

  constructor(head: number) {
    this.#floor = head;
    this.#generationStart = head;
  }

  /** @param terms the event's index document */
  remember(sequence: number, terms: string): void {
    if (this.#current.size >= GENERATION_TERMS_MAX) {
      this.#older = this.#current;
      this.#floor = this.#generationStart;
      this.#current = new Map();
      this.#generationStart = sequence - 1;
    }
    for (const term of terms.split(" ")) this.#current.set(term, sequence);
  }

  /** Forgets everything, after a rollback or a reset. */
  clear(head: number): void {
    this.#floor = head;
    this.#generationStart = head;
    this.#older.clear();
    this.#current.clear();
  }

  /** Whether an event after `afterSequence` may match the item, as far as this memory can tell. */
  mayMatchAfter(afterSequence: number, item: TermItem): boolean {
    if (afterSequence < this.#floor) return true;
    const appeared = (term: string): boolean =>
      (this.#current.get(term) ?? this.#older.get(term) ?? 0) > afterSequence;
    return item.allOf.every(appeared) && (item.anyOf.length === 0 || item.anyOf.some(appeared));
  }
}
