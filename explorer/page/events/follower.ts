import type { Query } from "../filter/query.ts";
import { CallError, type StoreCalls } from "../store/store_calls.ts";
import type { StoredEvent } from "../store/stored_event.ts";

/** The pause between two reads, so that many events a second come in few batches. */
const PAUSE_MILLISECONDS = 250;
const RETRY_MILLISECONDS = 2000;
const LIMIT = 500;

/** A list that lags by more events begins again with the newest. */
const BEHIND_MAX = 5000;

export interface FollowerOptions {
  readonly calls: StoreCalls;
  readonly query: Query;
  /** Events after this sequence are new. */
  readonly after: number;
  onEvents(events: readonly StoredEvent[]): void;
  /** Called when there are too many new events to show each of them. */
  onBehind(): void;
}

/** Reads new events until it is stopped. After a pause it continues with the first event that it has not read. */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #ending = new AbortController();
  #after: number;
  #isPaused = false;
  #looking = new AbortController();
  #wake: () => void = () => {};

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#after = options.after;
    void this.#run();
  }

  stop(): void {
    this.#ending.abort();
    this.#wake();
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    // Cancels a waiting read: its events would be shown during the pause.
    if (isPaused) this.#looking.abort();
    this.#wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        if (this.#isPaused || document.hidden) await this.#sleep(PAUSE_MILLISECONDS);
        else if (await this.#look() === "behind") return this.#options.onBehind();
        else await this.#sleep(PAUSE_MILLISECONDS);
      } catch (error) {
        if (signal.aborted) return;
        if (this.#looking.signal.aborted) continue;
        // StoreCalls has already reported the failure.
        await this.#sleep(error instanceof CallError ? RETRY_MILLISECONDS : PAUSE_MILLISECONDS);
      }
    }
  }

  async #look(): Promise<"behind" | undefined> {
    const { calls, query, onEvents } = this.#options;
    const request = { query, afterSequence: this.#after, limit: LIMIT, waitSeconds: 20 };
    this.#looking = new AbortController();
    const signal = AbortSignal.any([this.#ending.signal, this.#looking.signal]);
    const { events, hasMore, head } = await calls.events(request, signal);
    if (signal.aborted) return undefined;
    const reached = hasMore ? events.at(-1)!.sequence : head;
    if (hasMore && head - reached > BEHIND_MAX) return "behind";
    this.#after = reached;
    if (events.length > 0) onEvents(events);
    return undefined;
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
