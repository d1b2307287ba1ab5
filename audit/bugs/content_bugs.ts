import type { Bug, Catcher } from "./bug.ts";

const kills = (edition: "A" | "B" | "C", rounds = 12): Catcher => ({ check: "kills", edition, rounds });

const WRITER = "src/store/sqlite/writing/writer.ts";
const PROJECTIONS = "src/store/sqlite/tables/projections.ts";
const EVENTS = "src/store/sqlite/tables/events.ts";
const CLOCK = "src/time/clock.ts";

/** The store holds something else than the client asked for. */
export const CONTENT_BUGS: readonly Bug[] = [
  {
    name: "the tag index lacks the last metadata entry of an event",
    edits: [{
      file: "src/store/core/index_terms.ts",
      find:
        '  for (const tag of metadata) putToken(place++, tagTerm("m", tag));\n  return takeTokens(count);',
      replace: '  for (const tag of metadata.slice(0, -1)) putToken(place++, tagTerm("m", tag));\n' +
        "  return takeTokens(place);",
    }],
    caughtBy: kills("A"),
  },
  {
    name: "a rollback keeps the head",
    edits: [{
      file: WRITER,
      find: "  #forgetTransaction(): void {\n    this.#state = this.#committed;",
      replace: "  #forgetTransaction(): void {",
    }],
    caughtBy: kills("C"),
  },
  {
    name: "a rollback commits",
    edits: [{
      file: WRITER,
      find:
        "    if (!this.#db.inTransaction) return;\n    this.#transactions.rollback();\n    this.#forgetTransaction();",
      replace: "    if (!this.#db.inTransaction) return;\n    void this.commit();",
    }],
    caughtBy: kills("C"),
  },
  {
    name: "a replaced projection keeps its version",
    edits: [{
      file: PROJECTIONS,
      find: '"UPDATE projection SET version = ?, payload = ? WHERE type = ? AND id = ?"',
      replace:
        "\"UPDATE projection SET version = iif(? = '', version, version), payload = ? WHERE type = ? AND id = ?\"",
    }],
    caughtBy: kills("A"),
  },
  {
    name: "deleting the projections of one type deletes all others too",
    edits: [{
      file: PROJECTIONS,
      find: "  if (type === undefined) db.run",
      replace: '  if (type !== "") db.run',
    }],
    caughtBy: kills("A", 20),
  },
  {
    name: "a deleted projection stays",
    edits: [{
      file: PROJECTIONS,
      find: '    db.run("DELETE FROM projection WHERE type = ? AND id = ?", ...keyValues(change));',
      replace: "    void change;",
    }],
    caughtBy: kills("B"),
  },
  {
    name: "a reset leaves the projections",
    edits: [{
      file: WRITER,
      find: "      deleteProjections(this.#db, undefined);\n      changeStoreId",
      replace: "      changeStoreId",
    }],
    caughtBy: kills("A", 30),
  },
  {
    name: "a reset keeps the store ID",
    edits: [{
      file: WRITER,
      find: "    const storeId = crypto.randomUUID();",
      replace: "    const { storeId } = this.#state;",
    }],
    caughtBy: kills("A", 30),
  },
  {
    name: "a reset leaves the tag index",
    edits: [{
      file: EVENTS,
      find: `  db.run("INSERT INTO event_term (event_term) VALUES ('delete-all')");\n`,
      replace: "",
    }],
    caughtBy: kills("A", 30),
  },
  {
    name: "a reset leaves the time index",
    edits: [{ file: EVENTS, find: "  deleteTimes(db);\n", replace: "  void deleteTimes;\n" }],
    caughtBy: { check: "power", edition: "A", rounds: 400 },
  },
  {
    name: "the answer to a write names the sequences before its own",
    edits: [{
      file: "src/editions/a_write/post_write.ts",
      find: "sequence: firstSequence + i, time",
      replace: "sequence: firstSequence + i - 1, time",
    }],
    caughtBy: kills("A"),
  },
  {
    name: "the last event of a large write is dropped",
    edits: [{
      file: EVENTS,
      find: "    i += rows;\n",
      replace: "    i += rows;\n    if (events.length > 16 && i === events.length - 1) break;\n",
    }],
    caughtBy: kills("A", 20),
  },
  {
    name: "a commit of edition B forgets its projections when it has many events",
    edits: [{
      file: "src/editions/b_tx/commit.ts",
      find: "    const lists = Object.groupBy(content.projections, listOf);",
      replace:
        "    const lists = Object.groupBy(content.events.length > 2 ? [] : content.projections, listOf);",
    }],
    caughtBy: kills("B"),
  },
  {
    name: "a time has fewer than six digits after the second",
    edits: [{
      file: "src/model/timestamp.ts",
      find: 'String(micros - second * 1_000_000).padStart(6, "0")',
      replace: "String(micros - second * 1_000_000)",
    }],
    caughtBy: { check: "clock", edition: "A", rounds: 5 },
  },
  {
    name: "ages are counted by the system clock",
    edits: [
      {
        file: CLOCK,
        find: "  readonly #startedAt = performance.now();",
        replace: "  readonly #startedAt = Date.now();",
      },
      {
        file: CLOCK,
        find: "    return (performance.now() - this.#startedAt) / 1000;",
        replace: "    return (Date.now() - this.#startedAt) / 1000;",
      },
    ],
    caughtBy: { check: "clock", edition: "C", rounds: 5 },
  },
  {
    name: "a transaction of edition B expires by the system clock",
    edits: [{
      file: "src/editions/b_tx/open_transactions.ts",
      find: "new ReadingClock()",
      replace: "new ReadingClock(() => Date.now())",
    }],
    caughtBy: { check: "clock", edition: "B", rounds: 5 },
  },
];
