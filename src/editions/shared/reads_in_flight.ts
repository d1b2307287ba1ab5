import { counter, gauge, metricText } from "../../metrics/exposition.ts";
import { Histogram } from "../../metrics/histogram.ts";
import type { CommitFeed } from "../../store/feed/commit_feed.ts";
import type { Page } from "../../store/core/open_page.ts";

const BOUNDS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

type Kind = "events" | "projection";

/** Counts the reads of clients in flight, including those that wait for a reader or for an event. */
export class ReadsInFlight {
  #count = 0;
  #events = 0;
  #bytes = 0;
  readonly #durations: Readonly<Record<Kind, Histogram>> = {
    events: new Histogram(BOUNDS_SECONDS),
    projection: new Histogram(BOUNDS_SECONDS),
  };
  readonly #feed: Pick<CommitFeed, "subscriptions">;

  constructor(feed: Pick<CommitFeed, "subscriptions">) {
    this.#feed = feed;
  }

  get count(): number {
    return this.#count;
  }

  get waiting(): number {
    return this.#feed.subscriptions;
  }

  /** Counts one read until the returned object is disposed of. It must be disposed of once. */
  begin(kind: Kind): ReadInFlight {
    this.#count++;
    return new ReadInFlight((seconds, { events, bytes }) => {
      this.#count--;
      this.#events += events;
      this.#bytes += bytes;
      this.#durations[kind].observe(seconds);
    });
  }

  text(): string {
    const { events, projection } = this.#durations;
    return [
      gauge(
        "service_reads_active",
        "Reads under way, apart from those that wait for an event.",
        this.#count - this.waiting,
      ),
      metricText(
        "service_read_duration_seconds",
        "histogram",
        "How long reads took until their last line was handed out, without any wait for an event.",
        [...events.samples('kind="events"'), ...projection.samples('kind="projection"')],
      ),
      counter("service_read_events_total", "Events that reads handed out.", this.#events),
      counter("service_read_bytes_total", "Bytes of the lines of these events.", this.#bytes),
    ].join("");
  }
}

/** One read, until it is disposed of. */
export class ReadInFlight implements Disposable {
  readonly #onEnd: (seconds: number, handedOut: Page["handedOut"]) => void;
  #startedAt = performance.now();
  #waitsSince: number | undefined;
  /** The events that the read has handed out, once that is known. */
  handedOut: Page["handedOut"] = NOTHING;

  constructor(onEnd: (seconds: number, handedOut: Page["handedOut"]) => void) {
    this.#onEnd = onEnd;
  }

  wait(): void {
    this.#waitsSince ??= performance.now();
  }

  go(): void {
    if (this.#waitsSince === undefined) return;
    this.#startedAt += performance.now() - this.#waitsSince;
    this.#waitsSince = undefined;
  }

  [Symbol.dispose](): void {
    this.go();
    this.#onEnd((performance.now() - this.#startedAt) / 1000, this.handedOut);
  }
}

const NOTHING = { events: 0, bytes: 0 };
