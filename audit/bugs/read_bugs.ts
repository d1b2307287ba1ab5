import type { Bug, Catcher } from "./bug.ts";

const order = (edition: "A" | "B" | "C"): Catcher => ({ check: "order", edition, rounds: 10 });
const endurance = (edition: "A" | "B" | "C"): Catcher => ({ check: "endurance", edition, rounds: 0.2 });

const CHUNK_SEARCH = "src/store/core/chunks/chunk_search.ts";
const READ_EVERY = "src/store/sqlite/reading/read_every.ts";

/** Readers get other events than they asked for, or get them too late. */
export const READ_BUGS: readonly Bug[] = [
  {
    name: "a page has one event more than its limit",
    edits: [{ file: CHUNK_SEARCH, find: "limit: limit + 1 }", replace: "limit: limit + 2 }" }],
    caughtBy: order("A"),
  },
  {
    name: "a page of all events that its limit ends is reported as the last one",
    edits: [{
      file: READ_EVERY,
      find: "{ hasMore: last < range.upTo }",
      replace: "{ hasMore: last < Math.min(range.upTo, upTo) }",
    }],
    caughtBy: order("C"),
  },
  {
    name: "a read begins with the event that its client already has",
    edits: [{
      file: CHUNK_SEARCH,
      find: "  return { after, upTo: Math.max(",
      replace: "  return { after: Math.max(0, after - 1), upTo: Math.max(",
    }],
    caughtBy: endurance("B"),
  },
  {
    name: "a page before a sequence has the event of that sequence",
    edits: [{ file: CHUNK_SEARCH, find: "beforeSequence - 1)", replace: "beforeSequence)" }],
    caughtBy: { tests: "tests/store/sqlite/contract.test.ts" },
  },
  {
    name: "a query drops the last of several alternatives",
    edits: [{
      file: CHUNK_SEARCH,
      find: "  return { query, time,",
      replace:
        '  return { query: typeof query === "string" || query.length < 2 ? query : query.slice(0, -1), time,',
    }],
    caughtBy: { tests: "tests/store/sqlite/contract.test.ts" },
  },
  {
    name: "only the first of several types is searched for",
    edits: [{
      file: "src/store/sqlite/tables/tag_index.ts",
      find: "all.push(`(${anyOfExpression(anyOf)})`);",
      replace: "all.push(`(${anyOfExpression(anyOf.slice(0, 1))})`);",
    }],
    caughtBy: { tests: "tests/store/sqlite/contract.test.ts" },
  },
  {
    name: "a block of the time index forgets its earlier times",
    edits: [{
      file: "src/store/sqlite/tables/time_index.ts",
      find: "SET time_min = min(time_min, excluded.time_min)",
      replace: "SET time_min = excluded.time_min",
    }],
    caughtBy: endurance("A"),
  },
  {
    name: "a read shares the snapshot of earlier reads",
    edits: [{
      file: "src/workers/shared_answers.ts",
      find: "while (this.#last !== called &&",
      replace: "while (called >= 0 && this.#last !== callsIn(Atomics.load(this.#words, CALLS)) &&",
    }],
    caughtBy: { tests: "tests/workers/several_calls.test.ts" },
  },
  {
    name: "a commit of edition C does not notify waiting reads",
    edits: [{
      file: "src/store/core/observed_writer.ts",
      find: '    if (outcome.kind === "done") pending.publish(this.#feed);',
      replace: '    if (outcome.kind !== "done") pending.publish(this.#feed);',
    }],
    caughtBy: { tests: "tests/editions/c_ticket/waiting.test.ts" },
  },
  {
    name: "an event committed between a read and its subscription does not notify the waiting read",
    edits: [{
      file: "src/store/feed/awaited_pages.ts",
      find: "state.storeId === storeId && state.head > page.head",
      replace: "state.head > Infinity",
    }],
    caughtBy: { tests: "tests/store/sqlite/contract.test.ts" },
  },
  {
    name: "a page continues with the store that a reset created",
    edits: [{
      file: "src/store/core/open_page.ts",
      find: "  return part.storeId !== page.storeId || part.head < page.head;",
      replace: "  return part.head < page.head;",
    }],
    caughtBy: { tests: "tests/store/core/open_page.test.ts" },
  },
  {
    name: "a read that waits ends at once",
    edits: [{
      file: "src/store/feed/awaited_pages.ts",
      find: "const endAt = performance.now() + 1000 * waitSeconds;",
      replace: "const endAt = performance.now() + waitSeconds;",
    }],
    caughtBy: { check: "clock", edition: "C", rounds: 1 },
  },
];
