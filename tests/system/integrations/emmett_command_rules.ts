import {
  CommandHandler,
  DeciderCommandHandler,
  isExpectedVersionConflictError,
  STREAM_DOES_NOT_EXIST,
} from "@event-driven-io/emmett";
import assert from "node:assert/strict";
import {
  added,
  ascending,
  type CartEvent,
  type ItemAdded,
  items,
  newStream,
  quantities,
  type Rule,
} from "./emmett_carts.ts";

/* Emmett's rules for command handlers, which also run on Emmett's own store in memory. */

/** The rules for command handlers, by name. */
export const COMMAND_RULES: Readonly<Record<string, Rule>> = {
  "a command handler decides on the state, and returns it": async (make) => {
    const store = make();
    const stream = newStream();
    const handle = CommandHandler<number, CartEvent>(items);
    const first = await handle(store, stream, () => added(2));
    const second = await handle(store, stream, (sum) => [added(sum), added(sum + 1)]);
    assert.deepEqual([first.newState, first.nextExpectedStreamVersion, first.createdNewStream], [
      2,
      1n,
      true,
    ]);
    assert.deepEqual([second.newState, second.nextExpectedStreamVersion], [7, 3n]);
    assert.deepEqual(second.newEvents, [added(2), added(3)]);
    const none = await handle(store, stream, () => []);
    assert.deepEqual([none.newState, none.nextExpectedStreamVersion, none.newEvents], [7, 3n, []]);
  },

  "an error of a command handler writes nothing": async (make) => {
    const store = make();
    const stream = newStream();
    const sold = (): never => {
      throw new RangeError("sold out");
    };
    await assert.rejects(CommandHandler<number, CartEvent>(items)(store, stream, sold), RangeError);
    assert.equal(await store.streamExists(stream), false);
  },

  "several handlers of one command see the events of those before": async (make) => {
    const store = make();
    const stream = newStream();
    const twice = [(sum: number) => added(sum + 1), (sum: number) => added(sum + 1)];
    await CommandHandler<number, CartEvent>(items)(store, stream, twice);
    assert.deepEqual(quantities((await store.readStream<ItemAdded>(stream)).events), [1, 2]);
  },

  "a decider handles several commands, on a mapped stream": async (make) => {
    const store = make();
    const id = newStream();
    const handle = DeciderCommandHandler({
      ...items,
      mapToStreamId: (id: string) => `${id}-of-decider`,
      decide: ({ data }: { type: "Add"; data: { quantity: number } }, sum: number): CartEvent[] =>
        sum + data.quantity > 5 ? [] : [added(data.quantity)],
    });
    const commands = [3, 2, 1].map((quantity) => ({ type: "Add" as const, data: { quantity } }));
    assert.equal((await handle(store, id, commands)).newState, 5);
    assert.equal(await store.streamExists(`${id}-of-decider`), true);
  },

  "a command handler that retries conflicts loses no command": async (make) => {
    const store = make();
    const stream = newStream();
    const handle = CommandHandler<number, CartEvent>({
      ...items,
      retry: { onVersionConflict: { retries: 100, minTimeout: 1, factor: 1 } },
    });
    const count = 16;
    // A handler that waits makes conflicts certain, on each store.
    const add = async (sum: number): Promise<ItemAdded> => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return added(sum === 0 ? 1 : 2);
    };
    await Promise.all(ascending(count).map(() => handle(store, stream, add)));
    const { events, currentStreamVersion } = await store.readStream<ItemAdded>(stream);
    assert.equal(currentStreamVersion, BigInt(count));
    assert.deepEqual(quantities(events), [1, ...Array(count - 1).fill(2)]);
    assert.deepEqual(events.map(({ metadata }) => Number(metadata.streamPosition)), ascending(count));
  },

  "a command handler passes on the expected version of its caller": async (make) => {
    const store = make();
    const stream = newStream();
    const handle = CommandHandler<number, CartEvent>(items);
    await handle(store, stream, () => added(1), { expectedStreamVersion: STREAM_DOES_NOT_EXIST });
    await assert.rejects(
      handle(store, stream, () => added(1), { expectedStreamVersion: 9n as never }),
      isExpectedVersionConflictError,
    );
    await handle(store, stream, () => added(1), { expectedStreamVersion: 1n as never });
  },
};
