import { Semaphore } from "../async/semaphore.ts";
import { parseTimestamp } from "../model/timestamp.ts";
import { queryWithin, type Within } from "../model/within.ts";
import { type Chunk, type ChunkRequest, requestAfter } from "../store/api/chunk.ts";
import type { StoreReads } from "../store/api/store.ts";
import { ANSWER_MILLISECONDS } from "../store/core/catalog/catalog.ts";
import { CatalogCounts, type CatalogDocument } from "../store/core/catalog/catalog_counts.ts";
import { KindCounter } from "../store/core/catalog/kinds.ts";
import { METADATA } from "../wire/event.ts";

/** The limit on the text of all counts that are kept. Usual ones have a few hundred units, the largest 256 Ki. */
const KEPT_UNITS_MAX = 8 * 1024 * 1024;

const decoder = new TextDecoder();

/** Counts the events within the parts of a store, each when it is asked for. */
export class CatalogsWithin {
  readonly #reads: Pick<StoreReads, "chunk">;
  readonly #unitsMax: number;
  /** By their spaces, the one that was asked for last at the end. */
  readonly #counted = new Map<string, CatalogWithin>();

  /** @param unitsMax for a test */
  constructor(reads: Pick<StoreReads, "chunk">, unitsMax = KEPT_UNITS_MAX) {
    this.#reads = reads;
    this.#unitsMax = unitsMax;
  }

  /** Returns the counts, like `Catalog.document`. @throws as `StoreReads.chunk` */
  async document(within: Within): Promise<CatalogDocument> {
    const counted = this.#counted.get(within.space) ?? new CatalogWithin(this.#reads, within);
    this.#counted.delete(within.space);
    this.#counted.set(within.space, counted);
    const document = await counted.document();
    this.#forgetSome();
    return document;
  }

  /** Forgets the counts that were not asked for the longest time. They are counted anew when they are asked for. */
  #forgetSome(): void {
    let units = 0;
    for (const [space, counted] of [...this.#counted].toReversed()) {
      units += space.length + counted.units;
      if (units > this.#unitsMax) this.#counted.delete(space);
    }
  }
}

/** The counts of one part of a store. They continue where the last request ended. */
class CatalogWithin {
  readonly #reads: Pick<StoreReads, "chunk">;
  readonly #within: Within;
  readonly #semaphore = new Semaphore(1);
  #counts: CatalogCounts | undefined;

  constructor(reads: Pick<StoreReads, "chunk">, within: Within) {
    this.#reads = reads;
    this.#within = within;
  }

  /** The size of the counts as text. */
  get units(): number {
    return this.#counts?.units ?? 0;
  }

  document(): Promise<CatalogDocument> {
    return this.#semaphore.pass(async () => {
      const until = performance.now() + ANSWER_MILLISECONDS;
      for (let request = this.#next();;) {
        const chunk = await this.#reads.chunk(request);
        const counts = this.#add(chunk);
        const isComplete = chunk.end !== false || performance.now() > until;
        if (isComplete && counts !== undefined) return counts.document;
        request = counts === undefined ? this.#next() : requestAfter({ ...request, head: chunk.head }, chunk);
      }
    });
  }

  /** The request for the events that are not counted yet. */
  #next(): ChunkRequest {
    const afterSequence = this.#counts?.afterSequence ?? 0;
    const query = queryWithin("every", this.#within);
    return { query, afterSequence, headAtLeast: afterSequence, limit: Infinity, head: undefined };
  }

  /** @returns undefined when the events that were counted are gone */
  #add({ storeId, head, last, lines }: Chunk): CatalogCounts | undefined {
    const counts = this.#counts ??= new CatalogCounts(storeId);
    if (counts.storeId !== storeId || head < counts.afterSequence) return this.#counts = undefined;
    const counter = new KindCounter();
    let lastTimeMicros: number | undefined;
    for (const line of decoder.decode(lines).split("\n")) {
      if (line === "") continue;
      const { sequence, time, start } = partsOf(line);
      counter.add(sequence, start);
      lastTimeMicros = Number(parseTimestamp(time));
    }
    counts.add({ storeId, head, last, lastTimeMicros, kinds: counter.kinds });
    return counts;
  }
}

const BODY = ',"type":';

/** Returns the parts of an event's line that are counted. `start` is its body up to the metadata. */
function partsOf(line: string): { sequence: number; time: string; start: string } {
  const body = line.indexOf(BODY);
  const { sequence, time } = JSON.parse(`${line.slice(0, body)}}`);
  return { sequence, time, start: line.slice(body + 1, line.indexOf(METADATA) + METADATA.length) };
}
