import { Positions } from "../../../../explorer/page/timeline/positions.ts";
import type { QueryItem } from "../../../../explorer/page/filter/query.ts";
import type { EventsPage, EventsRequest, ReadPage } from "../../../../explorer/page/store/store_calls.ts";
import type { StoredEvent } from "../../../../explorer/page/store/stored_event.ts";

/** A store in memory that answers like the real one, and counts its reads. */
export class FakeStore {
  readonly events: StoredEvent[] = [];
  asked = 0;
  /** The times whose positions were asked for. */
  lookups = 0;

  /** @param times times of the events, in milliseconds since 1970 */
  add(times: readonly number[], typeOf: (index: number) => string = () => "T"): void {
    for (const time of times) {
      this.events.push({
        sequence: this.events.length + 1,
        time: new Date(time).toISOString(),
        type: typeOf(this.events.length),
        identifiers: {},
        metadata: {},
        payload: "",
      });
    }
  }

  readonly read: ReadPage = (request) => {
    this.asked++;
    return Promise.resolve(this.#page(request));
  };

  /** The positions of times in this store. */
  get positions(): Positions {
    return new Positions((path) => {
      this.lookups++;
      const time = Date.parse(new URLSearchParams(path.slice(path.indexOf("?"))).get("time")!);
      const first = this.events.findIndex((event) => Date.parse(event.time) >= time);
      return Promise.resolve(JSON.stringify({ afterSequence: first < 0 ? this.events.length : first }));
    });
  }

  #page(
    { query, afterSequence = 0, beforeSequence = Infinity, backwards, limit = 0 }: EventsRequest,
  ): EventsPage {
    const matches = ({ type }: StoredEvent): boolean =>
      typeof query === "string" || query.some((item: QueryItem) => item.types?.includes(type));
    const [first, end] = [afterSequence, Math.min(this.events.length, beforeSequence - 1)];
    const found: StoredEvent[] = [];
    for (let i = 0; i < end - first && found.length <= limit; i++) {
      const event = this.events[backwards ? end - 1 - i : first + i]!;
      if (matches(event)) found.push(event);
    }
    const events = found.slice(0, limit);
    return { events, hasMore: found.length > limit, head: this.events.length };
  }
}
