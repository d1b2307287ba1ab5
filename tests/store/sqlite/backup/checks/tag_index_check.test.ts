import assert from "node:assert/strict";
import fc from "fast-check";
import type { NewEvent } from "../../../../../src/model/event.ts";
import {
  hasForeignEntries,
  TagIndexCheck,
} from "../../../../../src/store/sqlite/backup/checks/tag_index_check.ts";
import type { Range } from "../../../../../src/store/core/ranges/direction.ts";
import { eventTerms } from "../../../../../src/store/core/index_terms.ts";
import { event } from "../../../arbitraries.ts";
import { newEvent, tag } from "../../../made_writes.ts";
import { TestStore } from "../../../test_store.ts";

function faultOf(
  store: TestStore,
  events: readonly NewEvent[],
  { after, upTo: head }: Range = { after: 0, upTo: events.length },
): string | undefined {
  const check = new TagIndexCheck(store.db, { after, upTo: head });
  for (let sequence = after + 1; sequence <= head; sequence++) {
    check.add(sequence, eventTerms(events[sequence - 1]!));
  }
  const steps = check.compare();
  for (let step = steps.next();; step = steps.next()) {
    if (step.done === true) return step.value;
  }
}

function unindex(store: TestStore, sequence: number, terms: string): void {
  store.db.run(
    "INSERT INTO event_term (event_term, rowid, terms) VALUES ('delete', ?, ?)",
    BigInt(sequence),
    terms,
  );
}

function index(store: TestStore, sequence: number, terms: string): void {
  store.db.run("INSERT INTO event_term (rowid, terms) VALUES (?, ?)", BigInt(sequence), terms);
}

Deno.test("on any store the check finds nothing, and names the event whose document is another one", () => {
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 1, maxLength: 30 }),
      event,
      fc.nat(),
      fc.nat(),
      (events, other, at, cut) => {
        using store = new TestStore();
        store.append(events);
        assert.equal(faultOf(store, events), undefined);
        const after = cut % events.length;
        assert.equal(faultOf(store, events, { after, upTo: events.length }), undefined);

        const sequence = at % events.length + 1;
        const [own, foreign] = [eventTerms(events[sequence - 1]!), eventTerms(other)];
        const isSame = own.split(" ").toSorted().join() === foreign.split(" ").toSorted().join();
        unindex(store, sequence, own);
        index(store, sequence, foreign);
        const expected = isSame ? undefined : `the tag index differs from event ${sequence}`;
        assert.equal(faultOf(store, events), expected);
      },
    ),
    { numRuns: 25 },
  );
});

Deno.test("terms of many events are compared as exactly as those of few", () => {
  using store = new TestStore();
  const events = Array.from({ length: 20_000 }, (_, i) => newEvent("every", [tag("n", String(i % 7000))]));
  store.append(events);
  assert.equal(faultOf(store, events), undefined);
  assert.equal(faultOf(store, events, { after: 8191, upTo: 16_384 }), undefined);
  const [every, n] = eventTerms(events[12_344]!).split(" ") as [string, string];

  unindex(store, 12_345, every);
  assert.equal(faultOf(store, events), "the tag index differs from event 12345");
  assert.equal(faultOf(store, events, { after: 0, upTo: 12_344 }), undefined, "the others are fine");
  index(store, 12_345, every);
  assert.equal(faultOf(store, events), undefined);

  unindex(store, 12_345, n);
  assert.equal(faultOf(store, events), "the tag index differs from event 12345");
  index(store, 12_345, n);
  index(store, 3, n);
  assert.equal(faultOf(store, events), "the tag index differs from event 3");
  assert.equal(hasForeignEntries(store.db, events.length), false);
  index(store, 20_001, n);
  assert.equal(hasForeignEntries(store.db, events.length), true);
});

Deno.test("two wrong documents do not cancel each other out", () => {
  using store = new TestStore();
  const events = [newEvent("a", [tag("n", "1")]), newEvent("b", [tag("n", "2")])];
  store.append(events);
  const [first, second] = events.map(eventTerms) as [string, string];
  unindex(store, 1, first);
  unindex(store, 2, second);
  index(store, 1, second);
  index(store, 2, first);
  assert.equal(faultOf(store, events), "the tag index differs from event 1");
});
