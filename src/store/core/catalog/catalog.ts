import { delay } from "../../../async/delay.ts";
import { withTimeout } from "../../../async/with_timeout.ts";
import { type Outcome, throwIfFailed } from "../../api/outcome.ts";
import type { Store } from "../../api/store.ts";
import { EMPTY_WRITE, type StoreWrite, type WriteResult } from "../../api/write.ts";
import { CatalogCounts, type CatalogDocument } from "./catalog_counts.ts";
import { TALLY_EVENTS } from "./kinds.ts";

/** The projection in which the counts are saved. No client can name it: theirs have a type and an ID. */
const KEY = { type: "", id: "" };

/** How often the catalog looks whether events were written. */
const TICK_MILLISECONDS = 1000;

/** After counting for some time, the catalog leaves the reader to others for so many times as long. */
const REST = 3;

/** With more new events in a tick, the catalog waits until fewer come, or until it is asked for. */
const BUSY_EVENTS = 2000;

/** The counts are saved after so many events: it takes 0.2 s to count them again. */
const UNSAVED_EVENTS = 100_000;

/** How long an answer may take to count what is missing. */
export const ANSWER_MILLISECONDS = 250;

/**
 * Catalog counts the events of a store by type and by name of identifier. It reads them some time after they were
 * written, so a write does nothing for it.
 */
export class Catalog {
  readonly #store: Pick<Store, "feed" | "reads">;
  readonly #write: (write: StoreWrite) => Promise<Outcome<WriteResult>>;
  #counts: CatalogCounts | undefined;
  /** The head when the last events were counted. */
  #head = 0;
  #headAtTick: number;
  #saved = { version: undefined as string | undefined, afterSequence: 0 };
  #counting: Promise<CatalogCounts> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ticking: Promise<void> | undefined;
  #isClosed = false;

  /** @param write writes in its turn, as a client does */
  constructor(
    store: Pick<Store, "feed" | "reads">,
    write: (write: StoreWrite) => Promise<Outcome<WriteResult>>,
  ) {
    this.#store = store;
    this.#write = write;
    this.#headAtTick = store.feed.state.head;
    this.#tickLater();
  }

  /**
   * Returns the counts. They end before the head when very many events were not counted yet.
   * @throws as `StoreReads.tally`
   */
  async document(): Promise<CatalogDocument> {
    const until = performance.now() + ANSWER_MILLISECONDS;
    let counts = this.#counts ??= await this.#load();
    while (true) {
      const left = until - performance.now();
      // The last events are always counted. Many may wait for a disk, after a start.
      const head = Math.max(this.#head, this.#store.feed.state.head);
      const isLast = head - counts.afterSequence <= TALLY_EVENTS;
      if (left <= 0 && !isLast) return counts.document;
      counts = isLast ? await this.#count() : await withTimeout(this.#count(), left, () => counts);
      if (counts.afterSequence >= this.#head) return counts.document;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#ticking;
  }

  #tickLater(milliseconds: number = TICK_MILLISECONDS): void {
    this.#timer = setTimeout(() => this.#ticking = this.#tick(), milliseconds);
  }

  async #tick(): Promise<void> {
    const begun = performance.now();
    const { head } = this.#store.feed.state;
    const isBusy = head - this.#headAtTick > BUSY_EVENTS;
    this.#headAtTick = head;
    try {
      if (!isBusy) await this.#follow(head);
      await this.#saveIfDue();
    } catch {
      // A request reports what is wrong with reads or writes. The catalog tries again.
    }
    if (!this.#isClosed) this.#tickLater(Math.max(0, begun + TICK_MILLISECONDS - performance.now()));
  }

  async #follow(head: number): Promise<void> {
    const until = performance.now() + TICK_MILLISECONDS;
    while (!this.#isClosed && head - (this.#counts?.afterSequence ?? 0) >= TALLY_EVENTS) {
      const begun = performance.now();
      if (begun > until) return;
      await this.#count();
      await delay(REST * (performance.now() - begun));
    }
  }

  /** Counts the next events. All who ask at the same time share it. */
  #count(): Promise<CatalogCounts> {
    return this.#counting ??= this.#countNext().finally(() => this.#counting = undefined);
  }

  async #countNext(): Promise<CatalogCounts> {
    const counts = this.#counts ?? await this.#load();
    const tally = await this.#store.reads.tally(counts.afterSequence);
    const isSame = tally.storeId === counts.storeId && tally.head >= counts.afterSequence;
    if (isSame) counts.add(tally);
    this.#head = tally.head;
    // Otherwise the events that were counted are gone.
    return this.#counts = isSame ? counts : new CatalogCounts(tally.storeId);
  }

  async #load(): Promise<CatalogCounts> {
    const { storeId, projection } = await this.#store.reads.projection(KEY);
    const document = projection && JSON.parse(new TextDecoder().decode(projection.payload));
    const counts = document?.store === storeId ? CatalogCounts.of(document) : new CatalogCounts(storeId);
    this.#saved = { version: projection?.version, afterSequence: counts.afterSequence };
    return counts;
  }

  async #saveIfDue(): Promise<void> {
    const counts = this.#counts;
    const { version, afterSequence } = this.#saved;
    if (counts === undefined || counts.afterSequence - afterSequence < UNSAVED_EVENTS) return;
    const saved = counts.afterSequence;
    const projection = { ...KEY, payload: JSON.stringify(counts.document) };
    const { projections } = EMPTY_WRITE;
    const result = throwIfFailed(
      await this.#write({
        ...EMPTY_WRITE,
        projections: version === undefined
          ? { ...projections, create: [projection] }
          : { ...projections, replace: [{ ...projection, version }] },
      }),
    );
    if (result.kind === "written") {
      const { create, replace } = result.versions;
      this.#saved = { version: (create[0] ?? replace[0])!.version, afterSequence: saved };
    } else {
      // Another server has saved its counts, or projections were deleted. The next tick saves again.
      const { projection } = await this.#store.reads.projection(KEY);
      this.#saved = { version: projection?.version, afterSequence };
    }
  }
}
