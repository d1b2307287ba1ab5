import assert from "node:assert/strict";
import fc from "fast-check";
import { alternativesOf, NO_FILTER } from "../../../../explorer/page/filter/filter.ts";
import { tagOf, tagText } from "../../../../explorer/page/filter/tag.ts";
import { fragmentOf, type Route, routeOf, START, takeKey } from "../../../../explorer/page/frame/route.ts";

/** Characters with a meaning in addresses, and some others. */
const unit = fc.constantFrom(...[..."a=@%&#?+ 43D0\0\n\u202e\u{1f600}\u00e9/\"'<key"]);

/** Records with the prototype of the page's objects. */
const plain = <T>(model: { [Name in keyof T]: fc.Arbitrary<T[Name]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true });

const tag = plain({
  kind: fc.constantFrom("identifiers" as const, "metadata" as const),
  name: fc.string({ minLength: 1, unit }),
  value: fc.string({ unit }),
});
const time = fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: undefined });
const sequence = fc.option(fc.integer({ min: 1, max: 2 ** 49 }), { nil: undefined });
const alternative = plain({
  types: fc.array(fc.string({ minLength: 1, unit }), { maxLength: 3 }),
  tags: fc.array(tag, { maxLength: 3 }),
});
const filter = plain({
  alternatives: fc.array(alternative, { maxLength: 4 }).map(alternativesOf),
  from: time,
  before: time,
});

Deno.test("what is shown and the address that says so are the same", () => {
  const events = plain({ filter, isOldestFirst: fc.boolean(), position: sequence, open: sequence })
    .map((shown): Route => ({ ...START, ...shown }));
  const trace = plain({ trace: tag, open: sequence }).map((shown): Route => ({
    ...START,
    ...shown,
    view: "trace",
  }));
  const projection = plain({ type: fc.string({ minLength: 1 }), id: fc.string() })
    .map((projection): Route => ({ ...START, view: "projections", projection }));
  const consumer = fc.string({ minLength: 1, unit })
    .map((consumer): Route => ({ ...START, view: "consumers", consumer }));
  fc.assert(fc.property(fc.oneof(events, trace, projection, consumer), (route) => {
    assert.deepEqual(routeOf(fragmentOf(route)), route);
  }));
});

Deno.test("any address shows something", () => {
  fc.assert(fc.property(fc.string({ unit }), (text) => {
    assert.ok(
      routeOf(`#/events?${text}`).view === "events" && routeOf(text).filter.alternatives !== undefined,
    );
  }));
  const { position, open, filter } = routeOf("#/events?at=0&open=-1&from=never&tag=nothing&type=");
  assert.deepEqual([position, open, filter], [undefined, undefined, NO_FILTER]);
});

Deno.test("alternatives stand between two or=; a link of before there were any shows the same", () => {
  const tag = { kind: "identifiers", name: "order", value: "o1" } as const;
  const filterOf = (query: string) => routeOf(`#/events?${query}`).filter;
  assert.deepEqual(filterOf("type=A&type=B&tag=order%3Do1"), {
    ...NO_FILTER,
    alternatives: [{ types: ["A", "B"], tags: [tag] }],
  });
  assert.deepEqual(filterOf("or=&tag=order%3Do1&or=&or=&type=A&from=1970-01-01T00:00:01Z&or="), {
    alternatives: [{ types: [], tags: [tag] }, { types: ["A"], tags: [] }],
    from: 1000,
    before: undefined,
  });
  assert.equal(
    fragmentOf({ ...START, filter: filterOf("type=A&or=&type=B") }),
    "#/events?type=A&or=&type=B",
  );
});

Deno.test("a tag is one text, whatever is in its name", () => {
  fc.assert(fc.property(tag, (tag) => assert.deepEqual(tagOf(tagText(tag)), tag)));
  assert.equal(tagText({ kind: "metadata", name: "by", value: "a=b" }), "@by=a=b");
  assert.equal(tagOf("without a value"), undefined);
});

Deno.test("the key is taken out of an address, wherever it is", () => {
  for (
    const [given, rest] of [
      ["#key=abc-_1", ""],
      ["#/events?open=1&key=abc-_1", "#/events?open=1"],
      ["#/events?key=abc-_1&open=1", "#/events?&open=1"],
      ["#/events", "#/events"],
    ] as const
  ) {
    const taken = takeKey(given);
    assert.deepEqual(taken, { key: given === rest ? undefined : "abc-_1", rest });
  }
});
