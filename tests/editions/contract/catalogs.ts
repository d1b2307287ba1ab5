import assert from "node:assert/strict";
import { type ContractTest, eventOf, mustBe, type Subject } from "./edition.ts";

/** Tests of the counts of events by type and by name of identifier. */
export function contractOfCatalogs(test: ContractTest): void {
  const catalogOf = async (subject: Subject): Promise<object> => {
    const reply = mustBe(200, await subject.client.request("GET", "/catalog"));
    const { store, ...counts } = reply.json<{ store: string }>();
    assert.equal(store, await subject.storeId());
    assert.equal(reply.headers.get("x-service-store"), store);
    assert.equal(reply.headers.get("cache-control"), "no-store");
    return counts;
  };

  test("GET /catalog counts every event that was written before", async (subject) => {
    const empty = { afterSequence: 0, lastEventTime: null, types: [], identifiers: [] };
    assert.deepEqual(await catalogOf(subject), empty);
    await subject.append(
      eventOf("a", "", { course: "c1" }),
      eventOf("b", "", { course: ["c1", "c2"], student: "s1" }),
    );
    await subject.append(eventOf("b", "", { student: "s1" }));
    const { time } = (await subject.client.allEvents(subject.edition.every)).at(-1)!;
    const expected = {
      afterSequence: 3,
      lastEventTime: time,
      types: [{ type: "b", count: 2, first: 2, last: 3 }, { type: "a", count: 1, first: 1, last: 1 }],
      identifiers: [{ name: "course", count: 2 }, { name: "student", count: 2 }],
    };
    assert.deepEqual(await catalogOf(subject), expected);
    assert.deepEqual(await catalogOf(subject), expected, "and none twice");

    mustBe(204, await subject.edition.reset(subject.client));
    assert.deepEqual(await catalogOf(subject), empty, "after a reset");
    await subject.append(eventOf("c", ""));
    const { types, identifiers } = await catalogOf(subject) as typeof expected;
    assert.deepEqual([types, identifiers], [[{ type: "c", count: 1, first: 1, last: 1 }], []]);
  });
}
