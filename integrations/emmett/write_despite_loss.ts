import { delay } from "@event-driven-io/emmett";
import {
  type AppendedEvent,
  type Condition,
  Conflict,
  ConnectionLost,
  type EventStore,
  type NewEvent,
  type ProjectionChanges,
} from "eventstore-client";
import { queryOfKey } from "./recorded_events.ts";

/** Writes without an answer, before the append fails. With the pauses in between they take some seconds. */
const LOST_MAX = 10;
const PAUSE_MAX = 2000;

/** One write, as it is sent in every attempt. */
export interface OneWrite {
  readonly events: readonly NewEvent[];
  /** The stream has no event after the position that was read. */
  readonly condition: Condition;
  /** The key that the events carry. */
  readonly key: string;
  readonly projections: ProjectionChanges | undefined;
}

/**
 * Writes once. When the answer is lost, it sends the same write under the same condition again. That can succeed only
 * if the first one did not. Otherwise there is a conflict, and a read shows if the events with the key exist.
 * @returns undefined after a conflict with another write: nothing was written, and nothing will be
 * @throws `ConnectionLost` if the outcome is still unknown after ten attempts
 */
export async function writeDespiteLoss(
  store: EventStore,
  { events, condition, key, projections }: OneWrite,
): Promise<readonly AppendedEvent[] | undefined> {
  let lost: ConnectionLost | undefined;
  for (let attempt = 1;; attempt++) {
    try {
      const options = { conditions: condition, ...(projections ? { projections } : {}) };
      return (await store.append(events, options)).events;
    } catch (error) {
      if (error instanceof Conflict) return lost ? await findWritten(store, key, error) : undefined;
      if (!(error instanceof ConnectionLost) || attempt === LOST_MAX) throw lost ?? error;
      lost ??= error;
      await delay(Math.random() * Math.min(PAUSE_MAX, 20 * 2 ** attempt));
    }
  }
}

/** Finds the events of an earlier attempt. A replica may lag: then it reads again, up to the event of the conflict. */
async function findWritten(
  store: EventStore,
  key: string,
  { conflict }: Conflict,
): Promise<readonly AppendedEvent[] | undefined> {
  for (;;) {
    const { events, head } = await store.read(queryOfKey(key));
    if (events.length) return events;
    if (head.sequence >= (conflict?.sequence ?? 0)) return undefined;
    await delay(20);
  }
}
