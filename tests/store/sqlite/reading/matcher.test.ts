import assert from "node:assert/strict";
import fc from "fast-check";
import { matches, simplifiedItems } from "../../../../src/model/query.ts";
import { Matcher } from "../../../../src/store/core/matcher.ts";
import { eventBody } from "../../../../src/wire/event.ts";
import { event, queryFor, text } from "../../arbitraries.ts";
import { newEvent, queryOf, tag } from "../../made_writes.ts";

Deno.test("a matcher agrees with matches() on the text of any event", () => {
  const odd = fc.constantFrom('","identifiers":{', '},"payload":', '"type":"a', "\\", '\\"', "\n", "\u2028");
  const oddEvent = fc.record({ event, type: odd, value: odd, payload: fc.oneof(odd, text) }).map((parts) => ({
    ...parts.event,
    type: parts.type,
    payload: parts.payload,
    identifiers: [...parts.event.identifiers, tag("odd", parts.value), tag(parts.value, "odd")],
  }));
  const events = fc.array(fc.oneof(event, oddEvent), { minLength: 1, maxLength: 12 });
  const cases = events.chain((shapes) =>
    fc.record({ shapes: fc.constant(shapes), query: queryFor(shapes), doubled: fc.boolean() })
  );
  fc.assert(
    fc.property(cases, ({ shapes, query, doubled }) => {
      if (typeof query === "string") return;
      const twice = ({ types, identifiers, metadata }: (typeof query)[number]): (typeof query)[number] => ({
        types: [...types, ...types],
        identifiers: [...identifiers, ...identifiers],
        metadata: [...metadata, ...metadata],
      });
      const items = doubled ? [...query, ...query.map(twice)] : query;
      const matcher = new Matcher(simplifiedItems(items));
      // Twice, since an event must leave no state behind.
      for (const shape of [...shapes, ...shapes]) {
        assert.equal(matcher.matches(eventBody(shape)), matches(items, shape), JSON.stringify(shape));
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("repeated items become one, and so do repeated values", () => {
  const [a, b] = [tag("n", "a"), tag("n", "b")];
  const repeating = Array.from(
    { length: 99 },
    (_, i) => queryOf([], [...Array(i + 1).fill(a), ...Array(99 - i).fill(b)]),
  ).flat();
  assert.deepEqual(simplifiedItems(repeating), queryOf([], [a, b]));
  const tags = Array.from({ length: 50 }, (_, i) => tag("n", String(i)));
  assert.deepEqual(simplifiedItems(queryOf([], [...tags, ...tags])), queryOf([], tags));
  const plain = [...queryOf(["t"]), ...queryOf([], [a], [b])];
  assert.deepEqual(simplifiedItems(plain), plain);
  assert.equal(new Matcher([]).matches(eventBody(newEvent("t"))), false);
});
