import assert from "node:assert/strict";
import fc from "fast-check";
import { ApiError } from "../../../src/model/errors.ts";
import type { NewEvent } from "../../../src/model/event.ts";
import { matches, type Query } from "../../../src/model/query.ts";
import { isInTimeRange } from "../../../src/model/time_range.ts";
import type { ReadRequest } from "../../../src/model/read_request.ts";
import { CommitFeed } from "../../../src/store/feed/commit_feed.ts";
import type {
  Subscription,
  SubscriptionEnd,
  SubscriptionFilter,
} from "../../../src/store/feed/subscription.ts";
import { filterTerms } from "../../../src/store/feed/filter_terms.ts";
import * as arbitrary from "../arbitraries.ts";
import { newEvent, prepared, queryOf, tag } from "../made_writes.ts";

const STATE = { storeId: "the store", head: 0 };
const ANY = filterOf({ query: "every" });
const TENANT = tag("tenant", "1");

function filterOf(read: Partial<ReadRequest> & Pick<ReadRequest, "query">): SubscriptionFilter {
  return { afterSequence: 0, ...read, terms: filterTerms(read.query) };
}

/** How a subscription has ended, or "waits". */
function endOf(subscription: Subscription): Promise<SubscriptionEnd | "waits"> {
  return Promise.race([subscription.ended, Promise.resolve("waits" as const)]);
}

function committed(feed: CommitFeed, ...events: NewEvent[]): void {
  feed.committed(feed.state.head + 1, events.map((event) => prepared(event)));
}

interface Case {
  readonly events: readonly NewEvent[];
  readonly filter: SubscriptionFilter;
}

const anyCase: fc.Arbitrary<Case> = fc.array(arbitrary.event, { minLength: 1, maxLength: 12 }).chain((
  events,
) =>
  fc.record({
    events: fc.constant(events),
    filter: fc.record({
      query: arbitrary.queryFor(events),
      afterSequence: fc.nat({ max: 14 }),
      beforeSequence: fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined }),
      time: fc.option(
        fc.record({ fromMicros: fc.nat({ max: 6 }), beforeMicros: fc.nat({ max: 14 }) }),
        { nil: undefined },
      ),
    }).map(filterOf),
  })
);

Deno.test("a subscription ends with the first event that matches, and with no other", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(anyCase, { minLength: 1, maxLength: 4 }),
    fc.integer({ min: 1, max: 5 }),
    async (cases, groupSize) => {
      // Each case subscribes to the events of all cases.
      const events = cases.flatMap(({ events }) => events);
      const feed = new CommitFeed(STATE);
      const subscriptions: Subscription[] = [];
      for (const { filter } of cases) subscriptions.push(feed.subscribe(filter));
      for (let start = 0; start < events.length; start += groupSize) {
        const group = events.slice(start, start + groupSize);
        // Microsecond by microsecond, so that times are sequences.
        feed.committed(start + 1, group.map((event, i) => prepared(event, start + 1 + i)));
        const committed = events.slice(0, start + group.length);
        for (const [i, { filter }] of cases.entries()) {
          const isOver = committed.some((event, i) => ends(filter, i + 1, event));
          assert.equal(await endOf(subscriptions[i]!), isOver ? "arrived" : "waits");
        }
      }
      assert.deepEqual(feed.state, { ...STATE, head: events.length });
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
      assert.equal(feed.subscriptions, 0);
    },
  ));
});

function ends(
  { query, afterSequence, beforeSequence, time }: SubscriptionFilter,
  sequence: number,
  event: NewEvent,
): boolean {
  const isLast = beforeSequence === sequence + 1;
  return isLast || (sequence > afterSequence && matches(query, event) &&
    (time === undefined || isInTimeRange(time, sequence)));
}

Deno.test("a reset ends every subscription, and later events count from the beginning of the new store", async () => {
  const feed = new CommitFeed({ ...STATE, head: 7 });
  const old = feed.subscribe(filterOf({ query: "every", afterSequence: 9 }));
  feed.reset("another");
  assert.equal(await old.ended, "reset");
  assert.deepEqual(feed.state, { storeId: "another", head: 0 });
  const subscription = feed.subscribe(ANY);
  committed(feed, newEvent("t"));
  assert.equal(await subscription.ended, "arrived");
  assert.deepEqual(feed.state, { storeId: "another", head: 1 });
});

Deno.test("events that are not in memory end every subscription", async () => {
  const feed = new CommitFeed(STATE);
  const subscription = feed.subscribe(filterOf({ query: queryOf(["other"]) }));
  feed.committedMany(30_000);
  assert.equal(await subscription.ended, "arrived");
  assert.equal(feed.state.head, 30_000);
});

Deno.test("once the feed is closed, nothing waits any more", async () => {
  const feed = new CommitFeed(STATE);
  const subscription = feed.subscribe(ANY);
  feed.close();
  assert.equal(await subscription.ended, "over");
  assert.equal(await feed.subscribe(ANY).ended, "over");
  assert.equal(feed.subscriptions, 0);
});

Deno.test("a subscription ends once, and not again when it is disposed of", async () => {
  const feed = new CommitFeed(STATE);
  const subscription = feed.subscribe(ANY);
  committed(feed, newEvent("t"), newEvent("t"));
  subscription.end("over");
  subscription[Symbol.dispose]();
  assert.equal(await subscription.ended, "arrived");
});

Deno.test("large queries may wait only while there is memory for them", () => {
  const feed = new CommitFeed(STATE);
  const large = filterOf({ query: queryOf([], [tag("n", "x".repeat(8 * 1024 * 1024))]) });
  const subscriptions = [1, 2, 3].map(() => feed.subscribe(large));
  assert.throws(
    () => feed.subscribe(large),
    (error) => error instanceof ApiError && error.code === "Unavailable",
  );
  subscriptions[0]![Symbol.dispose]();
  feed.subscribe(large);
});

Deno.test("small queries may wait, however much memory large ones take", async () => {
  const feed = new CommitFeed(STATE);
  const types = Array.from({ length: 1000 }, (_, i) => `t${i}`);
  const large = filterOf({ query: queryOf(types) });
  assert.throws(() => {
    while (true) feed.subscribe(large);
  }, ApiError);
  const subscriptions = Array.from({ length: 2000 }, () => {
    return feed.subscribe(filterOf({ query: queryOf(["u"], [TENANT]) }));
  });
  committed(feed, newEvent("u", [TENANT]));
  for (const subscription of subscriptions) assert.equal(await subscription.ended, "arrived");
});

/** The same, with a call for each time that an event is compared with one of the items. */
function counted({ terms, ...rest }: SubscriptionFilter, onCompared: () => void): SubscriptionFilter {
  if (terms === "every") return { ...rest, terms };
  const items = terms.map(({ anyOf, allOf }) => ({
    anyOf,
    get allOf() {
      onCompared();
      return allOf;
    },
  }));
  return { ...rest, terms: items };
}

const OF_OTHERS: readonly [name: string, query: (i: number) => Query, event: (i: number) => NewEvent][] = [
  [
    "a tag",
    (i) => queryOf([], [TENANT, tag("student", String(i))]),
    (i) => newEvent("t", [TENANT, tag("student", String(i))]),
  ],
  ["a tag, and have types", (i) => queryOf([`t${i}`, `u${i}`], [TENANT]), (i) => newEvent(`u${i}`, [TENANT])],
];
for (const [shared, query, event] of OF_OTHERS) {
  Deno.test(`an event costs subscriptions to other events little, although they share ${shared}`, () => {
    const feed = new CommitFeed(STATE);
    let compared = 0;
    for (let i = 0; i < 1000; i++) {
      feed.subscribe(counted(filterOf({ query: query(i) }), () => compared++));
    }
    compared = 0;
    committed(feed, event(1000));
    assert.ok(compared < 10, `${compared} comparisons`);
    assert.equal(feed.subscriptions, 1000);
    committed(feed, event(500));
    assert.equal(feed.subscriptions, 999);
  });
}
