import type { Position, StoredEvent } from "./events.ts";
import { endOf, openPage, type Range, sequenceOf } from "./pages.ts";
import type { Query } from "./queries.ts";
import { jitter, retriesFor } from "./retries.ts";
import type { Server } from "./server.ts";

/** After this many failures jitter is about a third of a second on average. */
const SOME_FAILURES = 5;

/** The next events of a walk. */
export interface Step<Events extends object> {
  /** In the order of the read; empty at the end of a page. */
  readonly events: readonly StoredEvent<Events>[];
  /** The position up to which all events have been received. */
  readonly position: Position;
  /** True at the end of the store, for now. */
  readonly isEnd: boolean;
}

/**
 * Yields all events that match, page after page, without end. At the end of the store it asks again, and waits as
 * the range says. After an answer that broke off it continues after the last complete event. All events are from
 * one store.
 * @param isEndless true to continue as long as the server cannot be reached; false to yield no event that was written
 * after the first page
 * @throws StoreReset when the store differs from that of the range or of the first page, or its history went back
 */
export async function* walk<Events extends object>(
  server: Server,
  query: Query<Events>,
  { waitSeconds = 0, ...range }: Range,
  signal: AbortSignal | undefined,
  isEndless?: boolean,
): AsyncGenerator<Step<Events>, never> {
  const retries = retriesFor(server, signal, isEndless);
  let { after = 0, before } = range;
  // The first read, and one after an error, does not wait: it shows at once if the position is void.
  let wait = 0;
  for (;;) {
    try {
      const begun = Date.now();
      const from = sequenceOf(after);
      const now: Range = { ...range, after, before, waitSeconds: wait || undefined };
      const page = await openPage(server, query, now, signal);
      const { storeId, head } = page;
      if (isEndless === false) before ??= head + 1;
      let position = { storeId, sequence: from };
      // A number beyond the end of the store is not yet a position in it.
      const isPosition = from <= head;
      if (isPosition) after = position;
      for await (const events of page.batches()) {
        position = { storeId, sequence: events.at(-1)!.sequence };
        if (range.backwards) before = position;
        else after = position;
        yield { events, position, isEnd: false };
        retries.reset();
      }
      retries.reset();
      if (!range.backwards && isPosition) after = position = endOf(page, { after, before });
      yield { events: [], position, isEnd: !page.hasMore };
      // The server did not wait to the end: it stops, or knows that no such event can come.
      const isEarly = Date.now() - begun < 900 * wait;
      if (isEarly && position.sequence === from) await jitter(SOME_FAILURES, signal);
      wait = waitSeconds;
    } catch (error) {
      wait = 0;
      await retries.after(error);
    }
  }
}
