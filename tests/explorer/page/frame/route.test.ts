import assert from "node:assert/strict";
import fc from "fast-check";
import {
  fragmentOf,
  type Route,
  routeOf,
  START,
  tagOf,
  tagText,
  takeKey,
} from "../../../../explorer/page/frame/route.ts";

/** What means something in an address, and a little else. */
const unit = fc.constantFrom(...[..."a=@%&#?+ 43D0\0\n\u202e\u{1f600}\u00e9/\"'<key"]);

/** Records with the prototype of those that the page makes. */
const plain = <T>(model: { [Name in keyof T]: fc.Arbitrary<T[Name]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true });

const tag = plain({
  kind: fc.constantFrom("identifiers" as const, "metadata" as const),
  name: fc.string({ minLength: 1, unit }),
  value: fc.string({ unit }),
});
const time = fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: undefined });
const sequence = fc.option(fc.integer({ min: 1, max: 2 ** 49 }), { nil: undefined });
const filter = plain({
  types: fc.array(fc.string({ minLength: 1, unit }), { maxLength: 3 }),
  tags: fc.array(tag, { maxLength: 3 }),
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
  fc.assert(fc.property(fc.oneof(events, trace, projection), (route) => {
    assert.deepEqual(routeOf(fragmentOf(route)), route);
  }));
});

Deno.test("any address shows something", () => {
  fc.assert(fc.property(fc.string({ unit }), (text) => {
    assert.ok(routeOf(`#/events?${text}`).view === "events" && routeOf(text).filter.types !== undefined);
  }));
  const { position, open, filter } = routeOf("#/events?at=0&open=-1&from=never&tag=nothing&type=");
  assert.deepEqual([position, open, filter], [undefined, undefined, START.filter]);
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
