import assert from "node:assert/strict";
import { assertRejected } from "../../support/replies.ts";
import { type ContractTest, eventOf, mustBe, type Subject } from "./edition.ts";

/** Tests of the position of a time. */
export function contractOfPositions(test: ContractTest): void {
  const positionOf = async (subject: Subject, time: string): Promise<number> => {
    const reply = mustBe(200, await subject.client.request("GET", `/position?time=${time}`));
    const { store, afterSequence, ...others } = reply.json<{ store: string; afterSequence: number }>();
    assert.deepEqual(others, {});
    assert.equal(store, await subject.storeId());
    assert.equal(reply.headers.get("x-service-store"), store);
    assert.equal(reply.headers.get("cache-control"), "no-store");
    return afterSequence;
  };

  test("GET /position is the position before the first event since a time", async (subject) => {
    assert.equal(await positionOf(subject, "2026-01-01T00:00:00Z"), 0, "of an empty store");
    for (let i = 0; i < 3; i++) await subject.append(eventOf("t", ""), eventOf("t", ""));
    const events = await subject.client.allEvents(subject.edition.every);
    for (const { time } of events) {
      const first = events.findIndex((event) => event.time >= time);
      assert.equal(await positionOf(subject, time), first, time);
      const later = time.replace(/\d\d\dZ$/, "999999Z");
      const next = events.findIndex((event) => event.time > time.replace("Z", "~"));
      assert.equal(await positionOf(subject, later), next < 0 ? 6 : next, later);
    }
    const hoursLater = new Date(Date.parse(events[2]!.time) + 2 * 3600_000).toISOString().slice(0, 19);
    const [, micros] = /\.(\d{6})Z$/.exec(events[2]!.time)!;
    for (const plus of ["+", "%2B"]) {
      assert.equal(await positionOf(subject, `${hoursLater}.${micros}${plus}02:00`), 2, "an offset");
    }
    assert.equal(await positionOf(subject, "0001-01-01T00:00:00Z"), 0);
    assert.equal(await positionOf(subject, "9999-01-01T00:00:00Z"), 6);
  });

  test("a time that is missing or none is 400", async ({ client }) => {
    for (
      const [query, message] of [
        ["", /^time is missing: /],
        ["?tim=2026-01-01T00:00:00Z", /^time is missing: /],
        ["?time=yesterday", /^time must be an RFC 3339 time, not "yesterday"$/],
        ["?time=2026-02-30T00:00:00Z", /^time must be an RFC 3339 time, not /],
      ] as const
    ) {
      assertRejected(await client.request("GET", `/position${query}`), 400, "InvalidRequest", message);
    }
  });
}
