import { Semaphore } from "../async/semaphore.ts";
import { parseTimestamp } from "../model/timestamp.ts";
import { queryWithin, type Within } from "../model/within.ts";
import type { Chunk } from "../store/api/chunk.ts";
import type { StoreReads } from "../store/api/store.ts";
import { ANSWER_MILLISECONDS } from "../store/core/catalog/catalog.ts";
import { CatalogCounts, type CatalogDocument } from "../store/core/catalog/catalog_counts.ts";
import { KindCounter, TALLY_EVENTS } from "../store/core/catalog/kinds.ts";
import { METADATA } from "../wire/event.ts";

/** The number of spaces whose counts are kept. A document may take a MiB. */
const KEPT_MAX = 16;

const decoder = new TextDecoder();

/** Counts the events within the parts of a store, each when it is asked for. */
export class CatalogsWithin {
  readonly #reads: Pick<StoreReads, "chunk">;
  /** By their spaces, the one that was asked for last at the end. */
  readonly #counted = new Map<string, CatalogWithin>();

  constructor(reads: Pick<StoreReads, "chunk">) {
    this.#reads = reads;
  }

  /** Returns the counts, like `Catalog.document`. @throws as `StoreReads.chunk` */
  document(within: Within): Promise<CatalogDocument> {
    const counted = this.#counted.get(within.space) ?? new CatalogWithin(this.#reads, within);
    this.#counted.delete(within.space);
    this.#counted.set(within.space, counted);
    if (this.#counted.size > KEPT_MAX) this.#counted.delete(this.#counted.keys().next().value!);
    return counted.document();
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

  document(): Promise<CatalogDocument> {
    return this.#semaphore.pass(async () => {
      const until = performance.now() + ANSWER_MILLISECONDS;
      while (true) {
        const isComplete = this.#add(await this.#next());
        const isOver = isComplete || performance.now() > until;
        if (isOver && this.#counts !== undefined) return this.#counts.document;
      }
    });
  }

  #next(): Promise<Chunk> {
    const afterSequence = this.#counts?.afterSequence ?? 0;
    const query = queryWithin("every", this.#within);
    return this.#reads.chunk({
      query,
      afterSequence,
      headAtLeast: afterSequence,
      limit: TALLY_EVENTS,
      head: undefined,
    });
  }

  /** @returns true when every event is counted */
  #add({ storeId, head, last, lines, end }: Chunk): boolean {
    const counts = this.#counts ??= new CatalogCounts(storeId);
    if (counts.storeId !== storeId || head < counts.afterSequence) {
      // The events that were counted are gone.
      this.#counts = undefined;
      return false;
    }
    const counter = new KindCounter();
    let lastTimeMicros: number | undefined;
    for (const line of decoder.decode(lines).split("\n")) {
      if (line === "") continue;
      const { sequence, time, start } = partsOf(line);
      counter.add(sequence, start);
      lastTimeMicros = Number(parseTimestamp(time));
    }
    counts.add({ storeId, head, last, lastTimeMicros, kinds: counter.kinds });
    return end !== false && !end.hasMore;
  }
}

const BODY = ',"type":';

/** Returns the parts of an event's line that are counted. `start` is its body up to the metadata. */
function partsOf(line: string): { sequence: number; time: string; start: string } {
  const body = line.indexOf(BODY);
  const { sequence, time } = JSON.parse(`${line.slice(0, body)}}`);
  return { sequence, time, start: line.slice(body + 1, line.indexOf(METADATA) + METADATA.length) };
}
