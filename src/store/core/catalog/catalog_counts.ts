import { formatTimestamp } from "../../../model/timestamp.ts";
import type { Tally } from "../../api/tally.ts";

/** The answer to `GET /catalog`. */
export interface CatalogDocument {
  readonly store: string;
  /** Everything is counted up to here, and nothing after it. */
  readonly afterSequence: number;
  /** The time of that event; null when none is counted. */
  readonly lastEventTime: string | null;
  /** The types by their counts, with the sequences of their first and last events. */
  readonly types: readonly TypeCount[];
  /** The names of identifiers, and how many events have an identifier of that name. */
  readonly identifiers: readonly NameCount[];
  /** True when there are more types than a catalog lists. */
  readonly moreTypes?: true;
  /** The same for names of identifiers. */
  readonly moreIdentifiers?: true;
}

interface TypeCount {
  readonly type: string;
  count: number;
  first: number;
  last: number;
}

interface NameCount {
  readonly name: string;
  count: number;
}

/** The limit on the text of all types, and on that of all names. A client may use a new type for each event. */
const UNITS_MAX = 128 * 1024;

/** The counts of a catalog, up to some event of a store. */
export class CatalogCounts {
  readonly storeId: string;
  afterSequence = 0;
  #lastEventTime: string | null = null;
  readonly #types = new Entries<TypeCount>(({ type }) => type);
  readonly #names = new Entries<NameCount>(({ name }) => name);

  constructor(storeId: string) {
    this.storeId = storeId;
  }

  /** The counts that a document has. */
  static of(document: CatalogDocument): CatalogCounts {
    const counts = new CatalogCounts(document.store);
    counts.afterSequence = document.afterSequence;
    counts.#lastEventTime = document.lastEventTime;
    counts.#types.load(document.types, document.moreTypes);
    counts.#names.load(document.identifiers, document.moreIdentifiers);
    return counts;
  }

  /** Adds the events that follow those that are counted. */
  add({ last, lastTimeMicros, kinds }: Tally): void {
    for (const { type, identifiers, ...counted } of kinds) {
      const known = this.#types.at(type);
      if (known === undefined) this.#types.add({ type, ...counted });
      else {
        known.count += counted.count;
        known.first = Math.min(known.first, counted.first);
        known.last = Math.max(known.last, counted.last);
      }
      for (const name of identifiers) {
        const named = this.#names.at(name);
        if (named === undefined) this.#names.add({ name, count: counted.count });
        else named.count += counted.count;
      }
    }
    this.afterSequence = last;
    if (lastTimeMicros !== undefined) this.#lastEventTime = formatTimestamp(lastTimeMicros);
  }

  /** The size of the types and names as text. */
  get units(): number {
    return this.#types.units + this.#names.units;
  }

  get document(): CatalogDocument {
    return {
      store: this.storeId,
      afterSequence: this.afterSequence,
      lastEventTime: this.#lastEventTime,
      types: this.#types.list,
      identifiers: this.#names.list,
      ...this.#types.isFull ? { moreTypes: true } : {},
      ...this.#names.isFull ? { moreIdentifiers: true } : {},
    };
  }
}

/** Counted entries by name, up to a limit on the text of the names. */
class Entries<T extends { count: number }> {
  readonly #nameOf: (entry: T) => string;
  readonly #entries = new Map<string, T>();
  units = 0;
  /** True once a name did not fit. From then on none is added, since its earlier events were not counted. */
  isFull = false;

  constructor(nameOf: (entry: T) => string) {
    this.#nameOf = nameOf;
  }

  at(name: string): T | undefined {
    return this.#entries.get(name);
  }

  add(entry: T): void {
    const name = this.#nameOf(entry);
    this.isFull ||= this.units + name.length > UNITS_MAX;
    if (this.isFull) return;
    this.units += name.length;
    this.#entries.set(name, entry);
  }

  load(entries: readonly T[], isFull = false): void {
    for (const entry of entries) this.add({ ...entry });
    this.isFull = isFull;
  }

  /** The most frequent first. */
  get list(): T[] {
    const byName = ([a]: [string, T], [b]: [string, T]): number => a < b ? -1 : 1;
    return [...this.#entries].sort((a, b) => b[1].count - a[1].count || byName(a, b)).map(([, entry]) =>
      entry
    );
  }
}
