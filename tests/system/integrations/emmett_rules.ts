import {
  type Event,
  getInMemoryMessageBus,
  type InMemoryReadEventMetadata,
  isExpectedVersionConflictError,
  NO_CONCURRENCY_CHECK,
  type ReadEvent,
  STREAM_DOES_NOT_EXIST,
  STREAM_EXISTS,
} from "@event-driven-io/emmett";
import assert from "node:assert/strict";
import {
  added,
  type CartEvent,
  type ItemAdded,
  items,
  newStream,
  quantities,
  type Rule,
} from "./emmett_carts.ts";

/*
 * Emmett's rules for an event store, from its documentation. The same tests run on Emmett's own store in memory, which
 * shows that these are its rules.
 */

const reading: Record<string, Rule> = {
  "a stream that does not exist is empty, at version 0": async (make) => {
    const store = make();
    const stream = newStream();
    const read = await store.readStream(stream);
    assert.deepEqual(read, { currentStreamVersion: 0n, events: [], streamExists: false });
    assert.equal(await store.streamExists(stream), false);
    const state = await store.aggregateStream<number, CartEvent>(stream, items);
    assert.deepEqual(state, { currentStreamVersion: 0n, state: 0, streamExists: false });
  },

  "events come back with their data and metadata, at positions from 1": async (make) => {
    const store = make();
    const stream = newStream();
    const metadata = { correlationId: "c1", retries: 2, by: { name: "Ada" } };
    await store.appendToStream(stream, [{ ...added(1), metadata }, added(2)]);
    const { events, currentStreamVersion, streamExists } = await store.readStream<ItemAdded>(stream);
    assert.equal(currentStreamVersion, 2n);
    assert.equal(streamExists, true);
    assert.equal(await store.streamExists(stream), true);
    assert.deepEqual(events.map(({ type, kind, data }) => ({ type, kind, data })), [
      { ...added(1), kind: "Event" },
      { ...added(2), kind: "Event" },
    ]);
    const [first, second] = events.map(({ metadata }) => metadata);
    const { messageId, globalPosition, ...others } = first!;
    assert.deepEqual(others, { ...metadata, streamName: stream, streamPosition: 1n });
    assert.equal(second!.streamPosition, 2n);
    assert.equal(typeof globalPosition, "bigint");
    assert.ok(second!.globalPosition > globalPosition);
    assert.notEqual(second!.messageId, messageId);
  },

  "from, to and maxCount read a part, and the version is that of the whole stream": async (make) => {
    const store = make();
    const stream = newStream();
    await store.appendToStream(stream, [1, 2, 3, 4, 5].map(added));
    const part = async (options: object): Promise<number[]> => {
      const { events, currentStreamVersion } = await store.readStream<ItemAdded>(stream, options);
      assert.equal(currentStreamVersion, 5n);
      for (const { data, metadata } of events) assert.equal(metadata.streamPosition, BigInt(data.quantity));
      return quantities(events);
    };
    assert.deepEqual(await part({ from: 2n }), [3, 4, 5]);
    assert.deepEqual(await part({ to: 2n }), [1, 2]);
    assert.deepEqual(await part({ from: 1n, to: 3n }), [2, 3]);
    assert.deepEqual(await part({ maxCount: 2n }), [1, 2]);
    assert.deepEqual(await part({ from: 3n, maxCount: 9n }), [4, 5]);
    assert.deepEqual(await part({ from: 5n }), []);
    const state = await store.aggregateStream<number, CartEvent>(stream, { ...items, read: { from: 3n } });
    assert.equal(state.state, 9);
  },

  "an aggregate is computed from the events in order": async (make) => {
    const store = make();
    const stream = newStream();
    await store.appendToStream(stream, [1, 2, 3].map(added));
    const { state, currentStreamVersion, streamExists } = await store.aggregateStream<string, ItemAdded>(
      stream,
      { evolve: (text: string, { data }: ItemAdded) => text + data.quantity, initialState: () => "" },
    );
    assert.deepEqual({ state, currentStreamVersion, streamExists }, {
      state: "123",
      currentStreamVersion: 3n,
      streamExists: true,
    });
  },

  "a read rejects another version than the expected one": async (make) => {
    const store = make();
    const stream = newStream();
    await store.appendToStream(stream, [added(1)]);
    const read = async (expectedStreamVersion: never): Promise<unknown> =>
      await store.readStream(stream, { expectedStreamVersion });
    await read(1n as never);
    await read(STREAM_EXISTS as never);
    await assert.rejects(read(2n as never), isExpectedVersionConflictError);
    await assert.rejects(read(STREAM_DOES_NOT_EXIST as never), isExpectedVersionConflictError);
    const aggregate = { ...items, read: { expectedStreamVersion: 7n } };
    await assert.rejects(store.aggregateStream(stream, aggregate as never), isExpectedVersionConflictError);
  },

  "an old event is upcast when it is read, a new one downcast when it is stored": async (make) => {
    const store = make();
    const stream = newStream();
    type Placed = Event<"Placed", { at: Date; cents: bigint }>;
    type Stored = Event<"Placed", { at: string; cents: string }>;
    const versioning = {
      downcast: ({ type, data }: Placed): Stored => ({
        type,
        data: { at: data.at.toISOString(), cents: String(data.cents) },
      }),
      upcast: ({ type, data }: Stored): Placed => ({
        type,
        data: { at: new Date(data.at), cents: BigInt(data.cents) },
      }),
    };
    const data = { at: new Date("2026-11-28T09:00:00Z"), cents: 2n ** 70n };
    await store.appendToStream<Placed, Stored>(stream, [{ type: "Placed", data }], {
      schema: { versioning },
    });
    const { events } = await store.readStream<Placed, Stored>(stream, { schema: { versioning } });
    assert.deepEqual(events[0]!.data, data);
    const plain = await store.readStream<Stored>(stream);
    assert.deepEqual(plain.events[0]!.data, { at: data.at.toISOString(), cents: String(data.cents) });
  },
};

const appending: Record<string, Rule> = {
  "an append returns the next version, and if the stream is new": async (make) => {
    const store = make();
    const stream = newStream();
    const first = await store.appendToStream(stream, [added(1), added(2)]);
    assert.deepEqual([first.nextExpectedStreamVersion, first.createdNewStream], [2n, true]);
    const second = await store.appendToStream(stream, [added(3)]);
    assert.deepEqual([second.nextExpectedStreamVersion, second.createdNewStream], [3n, false]);
  },

  "an append with a wrong expected version writes nothing": async (make) => {
    const store = make();
    const stream = newStream();
    const append = (expectedStreamVersion: never): Promise<unknown> =>
      store.appendToStream(stream, [added(1)], { expectedStreamVersion });
    await assert.rejects(append(STREAM_EXISTS as never), isExpectedVersionConflictError);
    await assert.rejects(append(1n as never), isExpectedVersionConflictError);
    assert.equal(await store.streamExists(stream), false);
    await append(STREAM_DOES_NOT_EXIST as never);
    await append(STREAM_EXISTS as never);
    await append(2n as never);
    await append(NO_CONCURRENCY_CHECK as never);
    await assert.rejects(append(STREAM_DOES_NOT_EXIST as never), isExpectedVersionConflictError);
    await assert.rejects(append(3n as never), isExpectedVersionConflictError);
    await assert.rejects(append(5n as never), isExpectedVersionConflictError);
    assert.equal((await store.readStream(stream)).currentStreamVersion, 4n);
  },

  "of appends at once with one expected version, one succeeds": async (make) => {
    const store = make();
    const stream = newStream();
    const ended = await Promise.allSettled(
      [1, 2, 3, 4].map((quantity) =>
        store.appendToStream(stream, [added(quantity)], { expectedStreamVersion: STREAM_DOES_NOT_EXIST })
      ),
    );
    const failed = ended.filter((one) => one.status === "rejected");
    assert.equal(failed.length, 3);
    for (const { reason } of failed) assert.ok(isExpectedVersionConflictError(reason), String(reason));
    assert.equal((await store.readStream(stream)).currentStreamVersion, 1n);
  },

  "onAfterCommit gets the events of an append, and its error does no harm": async (make) => {
    const published: ReadEvent<Event, InMemoryReadEventMetadata>[] = [];
    const onAfterCommit = (events: ReadEvent<Event, InMemoryReadEventMetadata>[]): void => {
      published.push(...events);
      if (events.length === 1) throw new Error("not delivered (this line is expected)");
    };
    const store = make({ hooks: { onAfterCommit } });
    const stream = newStream();
    await store.appendToStream(stream, [added(1), added(2)]);
    await store.appendToStream(stream, [added(3)]);
    await assert.rejects(
      store.appendToStream(stream, [added(4)], { expectedStreamVersion: 9n as never }),
      isExpectedVersionConflictError,
    );
    const { events } = await store.readStream(stream);
    assert.deepEqual(published, events);
  },

  "events reach Emmett's message bus": async (make) => {
    const bus = getInMemoryMessageBus();
    const received: number[] = [];
    bus.subscribe<ItemAdded>(({ data }: ItemAdded) => void received.push(data.quantity), "ProductItemAdded");
    const store = make({
      hooks: {
        onAfterCommit: async (events) => {
          for (const event of events) await bus.publish(event);
        },
      },
    });
    await store.appendToStream(newStream(), [added(1), added(2)]);
    assert.deepEqual(received, [1, 2]);
  },
};

/** The rules for streams, by name. */
export const STREAM_RULES: Readonly<Record<string, Rule>> = { ...reading, ...appending };
