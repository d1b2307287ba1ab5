import { countedEvents } from "../../../src/model/counted_events.ts";
import type { Filter } from "../filter/filter.ts";
import type { StoreCalls } from "../store/store_calls.ts";

/** The answer to `GET /catalog`. */
export interface Catalog {
  /** Everything is counted up to here. */
  readonly afterSequence: number;
  readonly types: readonly { readonly type: string; readonly count: number; readonly first: number }[];
  readonly identifiers: readonly { readonly name: string; readonly count: number }[];
  readonly moreTypes?: boolean;
}

/** The number of colours in the style sheet. */
const COLORS = 12;

/** The catalog of the store as it was last read, and the colours of its types. */
export class StoreCatalog {
  /** undefined until it has been read. */
  current: Catalog | undefined;
  /** By type, in the order of their first events: a type keeps its colour whatever comes later. */
  readonly #colors = new Map<string, number>();

  async read(calls: StoreCalls, signal?: AbortSignal): Promise<Catalog> {
    const catalog: Catalog = JSON.parse(await calls.text("/catalog", signal));
    this.current = catalog;
    const inOrder = catalog.types.toSorted((a, b) => a.first - b.first);
    for (const { type } of inOrder) this.colorOf(type);
    return catalog;
  }

  /** Forgets the store, which was reset or replaced. */
  clear(): void {
    this.current = undefined;
    this.#colors.clear();
  }

  /** The class of the type's colour. Types that come later are met in the order of their first events, too. */
  colorOf(type: string): string {
    if (this.current === undefined) return "color-none";
    const index = this.#colors.get(type) ?? this.#colors.size;
    this.#colors.set(type, index);
    return `color-${index % COLORS}`;
  }

  /** The same for a type of which there may be no event. */
  colorIfKnown(type: string): string {
    return this.#colors.has(type) ? this.colorOf(type) : "color-none";
  }

  /** The number of events that match, if the catalog knows it: of all events, or of types. */
  totalOf({ alternatives, from, before }: Filter): number | undefined {
    if (this.current === undefined || from !== undefined || before !== undefined) return undefined;
    if (alternatives.length === 0) return countedEvents(this.current);
    if (this.current.moreTypes || alternatives.some(({ tags }) => tags.length > 0)) return undefined;
    const wanted = new Set(alternatives.flatMap(({ types }) => types));
    const counts = this.current.types.map(({ type, count }) => wanted.has(type) ? count : 0);
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
