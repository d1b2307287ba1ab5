import assert from "node:assert/strict";
import { TIMESTAMP, UUID } from "../../support/replies.ts";
import {
  type ContractEdition,
  type ContractTest,
  eventOf,
  mustBe,
  PAGE_DEFAULT,
  PAGE_MAX,
  type Subject,
} from "./edition.ts";

/** Tests of `QUERY /events`: lines, order, pages. */
export function contractOfReads(edition: ContractEdition, test: ContractTest): void {
  test("a page is NDJSON: whole events in order, then the trailer, with store ID and no-store", async (subject) => {
    await subject.append({
      type: "t",
      identifiers: { b: ["2", "1"], a: ["one"] },
      metadata: { m: "\u00e9\0" },
      payload: '"\n\u2028',
    }, { type: "u", payload: "" });
    const { reply, events } = await subject.page();
    assert.equal(reply.headers.get("content-type"), "application/x-ndjson");
    assert.equal(reply.headers.get("cache-control"), "no-store");
    assert.match(reply.headers.get("x-service-store") ?? "", UUID);
    assert.match(reply.text, /\n\{"hasMore":false\}\n?$/);
    assert.equal(reply.text.trimEnd().split("\n").length, 3);
    const [first, second] = events;
    assert.match(first?.time ?? "", TIMESTAMP);
    const time = first?.time;
    assert.deepEqual(first, {
      sequence: 1,
      time,
      type: "t",
      identifiers: { a: "one", b: ["2", "1"] },
      metadata: { m: "\u00e9\0" },
      payload: '"\n\u2028',
    });
    assert.deepEqual(second, { sequence: 2, time, type: "u", identifiers: {}, metadata: {}, payload: "" });
  });

  test("an empty page has a trailer and the store ID as well", async (subject) => {
    const { reply, store } = await subject.page();
    assert.equal(mustBe(200, reply).text.trimEnd(), '{"hasMore":false}');
    assert.match(store ?? "", UUID);
    assert.equal(reply.headers.get("cache-control"), "no-store");
    assert.equal(reply.headers.get("content-type"), "application/x-ndjson");
  });

  test("pages follow each other by afterSequence, limit bounds them, hasMore says if more matched", async (subject) => {
    const numbers = ["1", "2", "3", "4", "5", "6", "7"];
    for (const number of numbers) await subject.append(eventOf("t", number));
    const shown = async (range: object): Promise<unknown> => {
      const { events, hasMore } = await subject.page(edition.every, range);
      return [events.map(({ sequence, payload }) => `${sequence}:${payload}`), hasMore];
    };
    const lines = (from: number, to: number): string[] =>
      numbers.slice(from - 1, to).map((number) => `${number}:${number}`);
    assert.deepEqual(await shown({}), [lines(1, PAGE_DEFAULT), true]);
    assert.deepEqual(await shown({ limit: PAGE_MAX }), [lines(1, PAGE_MAX), true]);
    assert.deepEqual(await shown({ limit: 1, afterSequence: 0 }), [["1:1"], true]);
    assert.deepEqual(await shown({ limit: 2, afterSequence: 4 }), [["5:5", "6:6"], true]);
    assert.deepEqual(await shown({ limit: 2, afterSequence: 5 }), [["6:6", "7:7"], false]);
    assert.deepEqual(await shown({ afterSequence: 6 }), [["7:7"], false]);
    for (const afterSequence of [7, 8, 2 ** 53]) {
      assert.deepEqual(await shown({ afterSequence }), [[], false]);
    }
    assert.deepEqual(await subject.payloads(), numbers);
  });

  test("a page carries the head of the store, whatever its query and wherever it ends", async (subject) => {
    const headOf = async (query: unknown, range?: object): Promise<[string | undefined, number]> => {
      const { reply, events } = await subject.page(query, range);
      return [reply.headers.get("x-service-head"), events.length];
    };
    assert.deepEqual(await headOf(edition.every), ["0", 0]);
    await subject.append(...["1", "2", "3", "4", "5"].map((payload) => eventOf("t", payload)));
    assert.deepEqual(await headOf(edition.every, { limit: 1 }), ["5", 1]);
    assert.deepEqual(await headOf(edition.every, { afterSequence: 9 }), ["5", 0]);
    const other = [{ types: ["other"] }];
    assert.deepEqual(await headOf(other), ["5", 0]);
    await subject.append(eventOf("other", "6"), eventOf("t", "7"));
    // A client that continues after a head misses no event.
    assert.deepEqual(await headOf(other, { afterSequence: 5 }), ["7", 1]);
  });

  test("an afterSequence of up to 2^63-1 is an empty page that still carries the store ID", async (subject) => {
    await subject.append(eventOf("t", "1"));
    for (const literal of ["9007199254740993", "9223372036854775807"]) {
      const reply = await subject.read(`{"query":"${edition.every}","afterSequence":${literal}}`);
      assert.deepEqual(mustBe(200, reply).json(), { hasMore: false });
      assert.match(reply.headers.get("x-service-store") ?? "", UUID);
    }
  });

  bounds(edition, test);

  test("null for afterSequence and limit means left out", async (subject) => {
    await subject.append(...["1", "2", "3", "4"].map((payload) => eventOf("t", payload)));
    const { events, hasMore } = await subject.page(edition.every, { afterSequence: null, limit: null });
    assert.deepEqual([events.length, hasMore], [PAGE_DEFAULT, true]);
  });
}

/** Tests of `beforeSequence` and `backwards`. */
function bounds(edition: ContractEdition, test: ContractTest): void {
  type Shown = [sequences: number[], hasMore: boolean | undefined];
  const shownBy =
    (subject: Subject) => async (range: object, query: unknown = edition.every): Promise<Shown> => {
      const { events, hasMore } = await subject.page(query, range);
      return [events.map(({ sequence }) => sequence), hasMore];
    };
  /** Fills the store with events of the types a, b, a, b, a, b, a. */
  const filled = async (subject: Subject): Promise<ReturnType<typeof shownBy>> => {
    for (let i = 0; i < 7; i++) await subject.append(eventOf(i % 2 === 0 ? "a" : "b", String(i + 1)));
    return shownBy(subject);
  };
  const [a, b] = [[{ types: ["a"] }], [{ types: ["b"] }]];

  test("a page ends before beforeSequence, and hasMore says if more match below it", async (subject) => {
    const shown = await filled(subject);
    assert.deepEqual(await shown({ beforeSequence: 4 }), [[1, 2, 3], false]);
    assert.deepEqual(await shown({ beforeSequence: 4, limit: 2 }), [[1, 2], true]);
    assert.deepEqual(await shown({ beforeSequence: 4, limit: 1 }, b), [[2], false]);
    assert.deepEqual(await shown({ beforeSequence: 6, afterSequence: 2, limit: 2 }, a), [[3, 5], false]);
    assert.deepEqual(await shown({ beforeSequence: 2 ** 53, afterSequence: 5 }), [[6, 7], false]);
    for (const backwards of [false, true]) {
      for (const [afterSequence, beforeSequence] of [[0, 1], [3, 4], [5, 2], [7, 8], [9, 2 ** 53]]) {
        assert.deepEqual(await shown({ afterSequence, beforeSequence, backwards }), [[], false]);
      }
    }
  });

  test("backwards, the newest come first, and pages follow each other by beforeSequence", async (subject) => {
    const shown = await filled(subject);
    const backwards = true;
    assert.deepEqual(await shown({ backwards }), [[7, 6, 5], true]);
    assert.deepEqual(await shown({ backwards, beforeSequence: 5 }), [[4, 3, 2], true]);
    assert.deepEqual(await shown({ backwards, beforeSequence: 2 }), [[1], false]);
    assert.deepEqual(await shown({ backwards, limit: 1 }, b), [[6], true]);
    assert.deepEqual(await shown({ backwards, afterSequence: 1, limit: 3 }, b), [[6, 4, 2], false]);
    assert.deepEqual(await shown({ backwards, afterSequence: 2, beforeSequence: 7, limit: 2 }, a), [
      [5, 3],
      false,
    ]);
    assert.deepEqual(await shown({ backwards, limit: 1 }, [{ types: ["absent"] }]), [[], false]);
    if (edition.none !== undefined) assert.deepEqual(await shown({ backwards }, edition.none), [[], false]);
  });

  test("a page backwards of a store without events is empty", async (subject) => {
    assert.deepEqual(await shownBy(subject)({ backwards: true }), [[], false]);
  });

  test("a page with bounds carries the head of the store too; null and false mean left out", async (subject) => {
    await filled(subject);
    for (const range of [{ beforeSequence: 3 }, { backwards: true, limit: 1 }, { beforeSequence: 1 }]) {
      const { reply } = await subject.page(edition.every, range);
      assert.equal(reply.headers.get("x-service-head"), "7");
    }
    const { events } = await subject.page(edition.every, { beforeSequence: null, backwards: false });
    assert.deepEqual(events.map(({ sequence }) => sequence), [1, 2, 3]);
  });

  test("a page with headAtLeast is answered at the present head", async (subject) => {
    const shown = await filled(subject);
    for (const headAtLeast of [0, 7, 8, 2 ** 62, null]) {
      assert.deepEqual(await shown({ headAtLeast, afterSequence: 4 }), [[5, 6, 7], false]);
      assert.deepEqual(await shown({ headAtLeast, backwards: true, limit: 1 }), [[7], true]);
      const { reply } = await subject.page(edition.every, { headAtLeast });
      assert.equal(reply.headers.get("x-service-head"), "7");
    }
  });
}
