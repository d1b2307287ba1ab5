import fc from "fast-check";
import type { Condition } from "../../src/model/condition.ts";
import type { NewEvent } from "../../src/model/event.ts";
import type { Query, QueryItem } from "../../src/model/query.ts";
import type { Tag } from "../../src/model/tag.ts";

/**
 * Few texts, so that events and queries match often. They include texts that an index could confuse: empty ones,
 * prefixes of each other, NUL, both Unicode forms of one letter, upper and lower case, names of object members,
 * digits, syntax of the index's query language.
 */
const TEXTS = [
  "",
  "a",
  "ab",
  "abc",
  "A",
  "b",
  "a\u0000",
  "\u0000",
  "a\u0000b",
  "\u00e9",
  "e\u0301",
  "__proto__",
  "constructor",
  "1",
  "01",
  'a" OR "b',
  "\ud83d\ude00",
];

export const text: fc.Arbitrary<string> = fc.constantFrom(...TEXTS);
const nonEmptyText = fc.constantFrom(...TEXTS.filter((candidate) => candidate !== ""));
const tag: fc.Arbitrary<Tag> = fc.record({ name: text, value: text });

/** No pair occurs twice, as the rules of events demand. */
const tags = fc.uniqueArray(tag, {
  maxLength: 5,
  selector: ({ name, value }) => JSON.stringify([name, value]),
});

export const event: fc.Arbitrary<NewEvent> = fc.record({
  type: nonEmptyText,
  identifiers: tags,
  metadata: tags,
  payload: text,
});

export const queryItem: fc.Arbitrary<QueryItem> = fc.record({
  types: fc.array(nonEmptyText, { maxLength: 3 }),
  // Entries may be repeated here.
  identifiers: fc.array(tag, { maxLength: 2 }),
  metadata: fc.array(tag, { maxLength: 2 }),
}).filter(({ types, identifiers, metadata }) => types.length + identifiers.length + metadata.length > 0);

/** An item that matches one of these events, including the event's type. */
function itemFrom(events: readonly NewEvent[]): fc.Arbitrary<QueryItem> {
  const wanted = fc.record({
    event: fc.constantFrom(...events),
    withType: fc.boolean(),
    other: nonEmptyText,
  });
  return wanted.chain(({ event, withType, other }) =>
    fc.record({
      types: fc.constant(withType ? [other, event.type] : []),
      identifiers: fc.subarray([...event.identifiers]),
      metadata: fc.subarray([...event.metadata]),
    })
  ).filter(({ types, identifiers, metadata }) => types.length + identifiers.length + metadata.length > 0);
}

/** Queries, some of which match events among the given ones. */
export function queryFor(events: readonly NewEvent[]): fc.Arbitrary<Query> {
  const hits = events.filter(({ identifiers, metadata }) => identifiers.length + metadata.length > 0);
  const item = hits.length === 0 ? queryItem : fc.oneof(queryItem, itemFrom(hits));
  const items = fc.array(item, { minLength: 1, maxLength: 4 });
  return fc.oneof(
    { arbitrary: items, weight: 10 },
    { arbitrary: fc.constantFrom<Query>("every", "none"), weight: 1 },
  );
}

export function conditionFor(events: readonly NewEvent[]): fc.Arbitrary<Condition> {
  return fc.record({ failIfEventsMatch: queryFor(events), afterSequence: fc.nat({ max: 400 }) });
}
