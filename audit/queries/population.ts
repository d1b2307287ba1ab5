import fc from "fast-check";
import type { NewEvent } from "../../src/model/event.ts";
import { matches, type Query } from "../../src/model/query.ts";
import type { ReadRequest } from "../../src/model/read_request.ts";
import { isInTimeRange } from "../../src/model/time_range.ts";
import { event as anyEvent } from "../../tests/store/arbitraries.ts";
import type { Random } from "../workload/random.ts";

/** The number of kinds of events at a time. */
const KINDS = 120;

/** One event in this number is the only one with its tag. */
const EVENTS_OF_A_SINGLE = 1000;

/** The tag that every event carries, in both namespaces. */
const EVERYWHERE = { name: "everywhere", value: "1" };

/**
 * All events of a store, in memory. There are few kinds of events, and very different numbers of each kind. So matches
 * are computed once for each kind, by the rule itself, and that answers for a million events at once.
 */
export class Population {
  readonly kinds: Omit<NewEvent, "payload">[] = [];
  readonly #random: Random;
  /** The kinds of new events, the frequent ones first. */
  #current: number[] = [];
  /** Kind and time of each event, in the order of their sequences. */
  readonly #kindOf: number[] = [];
  readonly #timeMicros: number[] = [];

  constructor(random: Random) {
    this.#random = random;
    this.#current = this.#newKinds(KINDS);
  }

  /** The highest sequence. */
  get head(): number {
    return this.#kindOf.length;
  }

  timeMicrosOf(sequence: number): number {
    return this.#timeMicros[sequence - 1]!;
  }

  kindOf(sequence: number): number {
    return this.#kindOf[sequence - 1]!;
  }

  /** From now on every second kind gets no more events, and new kinds replace them. */
  renew(): void {
    const kept = this.#current.filter((_, i) => i % 2 === 0);
    const fresh = this.#newKinds(KINDS - kept.length);
    this.#current = kept.flatMap((kind, i) => i < fresh.length ? [kind, fresh[i]!] : [kind]);
  }

  /** Draws the kind of the next event: few kinds make up most of the events. */
  drawKind(): number {
    if (this.#random.below(EVENTS_OF_A_SINGLE) === 0) return this.#single();
    // The minimum of four draws, so that the last kinds are rare.
    const place = Math.min(...Array.from({ length: 4 }, () => this.#random.below(KINDS)));
    return this.#current[place]!;
  }

  add(kind: number, timeMicros: number): void {
    this.#kindOf.push(kind);
    this.#timeMicros.push(timeMicros);
  }

  /** Some kinds that a query may name: current ones, former ones, and kinds of one event each. */
  someKinds(count: number): Omit<NewEvent, "payload">[] {
    return Array.from({ length: count }, () => {
      const kind = this.#random.chance(0.5) ? this.drawKind() : this.#random.below(this.kinds.length);
      return this.kinds[kind]!;
    });
  }

  /** The sequences of the page that a read requests, and true when there are more. */
  page(request: ReadRequest): { readonly sequences: readonly number[]; readonly hasMore: boolean } {
    const sequences: number[] = [];
    for (const sequence of this.matching(request)) {
      if (sequences.length === request.limit) return { sequences, hasMore: true };
      sequences.push(sequence);
    }
    return { sequences, hasMore: false };
  }

  /** The matching sequences, in the order of the read. */
  *matching(request: ReadRequest): Generator<number> {
    const { query, afterSequence, beforeSequence = Infinity, backwards = false, time } = request;
    const isWanted = this.kinds.map((kind) => matches(query, kind));
    const [first, last] = [afterSequence + 1, Math.min(beforeSequence - 1, this.head)];
    for (let i = first; i <= last; i++) {
      const sequence = backwards ? last - (i - first) : i;
      if (!isWanted[this.kindOf(sequence)]) continue;
      if (time === undefined || isInTimeRange(time, this.timeMicrosOf(sequence))) yield sequence;
    }
  }

  /** The first match of a query after a sequence. */
  firstMatch(query: Query, afterSequence: number): number | undefined {
    return this.page({ query, afterSequence, limit: 1 }).sequences[0];
  }

  #newKinds(count: number): number[] {
    const drawn = fc.sample(anyEvent, { seed: this.#random.below(2 ** 31), numRuns: count });
    return drawn.map(({ type, identifiers, metadata }) =>
      this.#add({
        type,
        identifiers: [...identifiers, EVERYWHERE],
        metadata: [...metadata, EVERYWHERE],
      })
    );
  }

  /** Creates a kind for one single event. */
  #single(): number {
    const other = this.kinds[this.#random.pick(this.#current)]!;
    const single = { name: "one", value: String(this.kinds.length) };
    return this.#add({ ...other, identifiers: [...other.identifiers, single] });
  }

  #add(kind: Omit<NewEvent, "payload">): number {
    return this.kinds.push(kind) - 1;
  }
}
