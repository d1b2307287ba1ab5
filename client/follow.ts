import { StoreReset } from "./errors.ts";
import type { Position, StoredEvent, TypeOf } from "./events.ts";
import type { CallOptions } from "./options.ts";
import type { Query } from "./queries.ts";
import type { Server } from "./server.ts";
import { walk } from "./walk.ts";

/** Many proxies end longer waits. */
const WAIT_SECONDS = 25;

/** The position to begin at, and the behaviour after a reset. */
export interface FollowOptions extends CallOptions {
  /** A saved checkpoint. Default: the beginning. */
  readonly from?: Position | undefined;
  /** Begin again with the new store after a reset, instead of failing with `StoreReset`. */
  readonly onReset?: "restart";
  /** The most events that the server sends at a time. */
  readonly limit?: number;
  /** How long the server waits for an event, in seconds, 1 to 60. Default 25. */
  readonly waitSeconds?: number;
}

/** The next events, and the checkpoint after them. */
export interface Followed<
  Events extends object = Record<string, unknown>,
  Type extends TypeOf<Events> = TypeOf<Events>,
> {
  /** In order. Empty when only the end of the store has moved, or after a reset. */
  readonly events: readonly StoredEvent<Events, Type>[];
  /** Save it when you have processed the events, and pass it as `from` next time. */
  readonly checkpoint: Position;
  /** True if the store was reset: any state derived from earlier events is void. */
  readonly isReset: boolean;
}

/** Yields every event that matches, and waits for more. */
export async function* follow<Events extends object>(
  server: Server,
  query: Query<Events>,
  { from, onReset, limit, waitSeconds = WAIT_SECONDS, signal }: FollowOptions,
): AsyncGenerator<Followed<Events>, never> {
  for (;;) {
    try {
      const range = { after: from, limit, waitSeconds };
      for await (const { events, position } of walk(server, query, range, signal, true)) {
        if (position.sequence === (from?.sequence ?? 0)) continue;
        from = position;
        yield { events, checkpoint: from, isReset: false };
      }
    } catch (error) {
      if (!onReset || !(error instanceof StoreReset)) throw error;
      from = { storeId: error.storeId, sequence: 0 };
      yield { events: [], checkpoint: from, isReset: true };
    }
  }
}
